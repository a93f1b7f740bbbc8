module sealstone.example/bench/protocol

go 1.26.0
