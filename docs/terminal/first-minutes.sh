# Make a secret key, and the public key that others encrypt to.
sealstone keygen
sealstone recipients > me.pub
# Encrypt a film of 1 GiB, read 16 bytes of it, and decrypt all of it.
sealstone encrypt -r me.pub film.mkv
sealstone decrypt --range 1000000..1000016 film.mkv.seal | xxd
sealstone decrypt -o copy.mkv film.mkv.seal && cmp film.mkv copy.mkv && echo same
# Damage one byte: decrypt finds it, and writes no file.
printf x | dd of=film.mkv.seal bs=1 seek=1000000 conv=notrunc status=none
sealstone decrypt -o damaged.mkv film.mkv.seal
ls
# Sign the film, so that everybody can verify who sent it.
sealstone keygen --sign && sealstone key public --sign > signer.pub
sealstone sign film.mkv
sealstone verify-sig -k signer.pub film.mkv
