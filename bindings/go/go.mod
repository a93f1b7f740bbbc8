module sealstone.example/go

go 1.25
