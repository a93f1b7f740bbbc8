"""Encrypts a text with a passphrase, and decrypts it.

python passphrase.py WORDS    in a real program they come from a prompt: other processes see arguments
"""

import sys

import sealstone

if len(sys.argv) != 2:
    sys.exit("usage: passphrase.py WORDS")
passphrase = sys.argv[1]

file = sealstone.encrypt(b"attack at dawn", passphrase=passphrase)

# Each attempt to open it takes some tenths of a second, also for those who guess; other threads of Python run meanwhile.
print(sealstone.decrypt(file, passphrase=passphrase).decode())

try:
    sealstone.decrypt(file, passphrase="another passphrase")
except sealstone.Error as error:
    print(f"with another one: {error.code}")
