package peers

import (
	"reflect"
	"testing"

	tjfocsm2 "github.com/tjfoc/gmsm/sm2"
	tjfocsm3 "github.com/tjfoc/gmsm/sm3"
	tjfocsm4 "github.com/tjfoc/gmsm/sm4"
	tjfocx509 "github.com/tjfoc/gmsm/x509"

	"sealstone.example/go/compat/tjfoc/sm2"
	"sealstone.example/go/compat/tjfoc/sm3"
	"sealstone.example/go/compat/tjfoc/sm4"
	"sealstone.example/go/compat/tjfoc/x509"
)

// The types of functions print with the names of packages, and not with their paths: the same for tjfoc/gmsm and compat/tjfoc.
func TestNamesAndSignaturesAreTjfocs(t *testing.T) {
	for i, pair := range [][2]any{
		{sm2.BytesCombine, tjfocsm2.BytesCombine}, {sm2.CipherMarshal, tjfocsm2.CipherMarshal}, {sm2.CipherUnmarshal, tjfocsm2.CipherUnmarshal},
		{sm2.Compress, tjfocsm2.Compress}, {sm2.Decompress, tjfocsm2.Decompress}, {sm2.Decrypt, tjfocsm2.Decrypt},
		{sm2.DecryptAsn1, tjfocsm2.DecryptAsn1}, {sm2.Encrypt, tjfocsm2.Encrypt}, {sm2.EncryptAsn1, tjfocsm2.EncryptAsn1},
		{sm2.GenerateKey, tjfocsm2.GenerateKey}, {sm2.KeyExchangeA, tjfocsm2.KeyExchangeA}, {sm2.KeyExchangeB, tjfocsm2.KeyExchangeB},
		{sm2.P256Sm2, tjfocsm2.P256Sm2}, {sm2.SignDataToSignDigit, tjfocsm2.SignDataToSignDigit}, {sm2.SignDigitToSignData, tjfocsm2.SignDigitToSignData},
		{sm2.Sm2Sign, tjfocsm2.Sm2Sign}, {sm2.Sm2Verify, tjfocsm2.Sm2Verify}, {sm2.Verify, tjfocsm2.Verify}, {sm2.ZA, tjfocsm2.ZA},
		{sm2.C1C3C2, tjfocsm2.C1C3C2}, {sm2.C1C2C3, tjfocsm2.C1C2C3},
		{sm3.New, tjfocsm3.New}, {sm3.Sm3Sum, tjfocsm3.Sm3Sum},
		{sm4.BlockSize, tjfocsm4.BlockSize}, {sm4.NewCipher, tjfocsm4.NewCipher}, {sm4.SetIV, tjfocsm4.SetIV}, {sm4.Sm4Ecb, tjfocsm4.Sm4Ecb},
		{sm4.Sm4Cbc, tjfocsm4.Sm4Cbc}, {sm4.Sm4CFB, tjfocsm4.Sm4CFB}, {sm4.Sm4OFB, tjfocsm4.Sm4OFB}, {sm4.Sm4GCM, tjfocsm4.Sm4GCM},
		{sm4.GCMEncrypt, tjfocsm4.GCMEncrypt}, {sm4.GCMDecrypt, tjfocsm4.GCMDecrypt}, {sm4.ReadKeyFromPem, tjfocsm4.ReadKeyFromPem},
		{sm4.ReadKeyFromPemFile, tjfocsm4.ReadKeyFromPemFile}, {sm4.WriteKeyToPem, tjfocsm4.WriteKeyToPem},
		{sm4.WriteKeyToPemFile, tjfocsm4.WriteKeyToPemFile}, {sm4.SM4Key{}, tjfocsm4.SM4Key{}},
		{x509.MarshalPKIXPublicKey, tjfocx509.MarshalPKIXPublicKey}, {x509.MarshalSm2EcryptedPrivateKey, tjfocx509.MarshalSm2EcryptedPrivateKey},
		{x509.MarshalSm2PrivateKey, tjfocx509.MarshalSm2PrivateKey}, {x509.MarshalSm2PublicKey, tjfocx509.MarshalSm2PublicKey},
		{x509.MarshalSm2UnecryptedPrivateKey, tjfocx509.MarshalSm2UnecryptedPrivateKey},
		{x509.ParsePKCS8EcryptedPrivateKey, tjfocx509.ParsePKCS8EcryptedPrivateKey}, {x509.ParsePKCS8PrivateKey, tjfocx509.ParsePKCS8PrivateKey},
		{x509.ParsePKCS8UnecryptedPrivateKey, tjfocx509.ParsePKCS8UnecryptedPrivateKey}, {x509.ParsePKIXPublicKey, tjfocx509.ParsePKIXPublicKey},
		{x509.ParseSm2PrivateKey, tjfocx509.ParseSm2PrivateKey}, {x509.ParseSm2PublicKey, tjfocx509.ParseSm2PublicKey},
		{x509.ReadPrivateKeyFromHex, tjfocx509.ReadPrivateKeyFromHex}, {x509.ReadPrivateKeyFromPem, tjfocx509.ReadPrivateKeyFromPem},
		{x509.ReadPublicKeyFromHex, tjfocx509.ReadPublicKeyFromHex}, {x509.ReadPublicKeyFromPem, tjfocx509.ReadPublicKeyFromPem},
		{x509.WritePrivateKeyToHex, tjfocx509.WritePrivateKeyToHex}, {x509.WritePrivateKeyToPem, tjfocx509.WritePrivateKeyToPem},
		{x509.WritePublicKeyToHex, tjfocx509.WritePublicKeyToHex}, {x509.WritePublicKeyToPem, tjfocx509.WritePublicKeyToPem},
	} {
		if ours, theirs := reflect.TypeOf(pair[0]).String(), reflect.TypeOf(pair[1]).String(); ours != theirs {
			t.Error(i, ours, theirs)
		}
	}
	for _, pair := range [][2]any{{&sm2.PrivateKey{}, &tjfocsm2.PrivateKey{}}, {&sm2.PublicKey{}, &tjfocsm2.PublicKey{}}, {&sm3.SM3{}, &tjfocsm3.SM3{}}, {&sm4.Sm4Cipher{}, &tjfocsm4.Sm4Cipher{}}} {
		ours, theirs := reflect.TypeOf(pair[0]), reflect.TypeOf(pair[1])
		for i := range theirs.NumMethod() {
			want := theirs.Method(i)
			// The receiver comes first.
			got, ok := reflect.ValueOf(pair[0]).Type().MethodByName(want.Name)
			if !ok || reflect.ValueOf(pair[0]).Method(got.Index).Type().String() != reflect.ValueOf(pair[1]).Method(i).Type().String() {
				t.Error(ours, "has no", want.Name, "of this type")
			}
		}
		for i := range theirs.Elem().NumField() {
			if want := theirs.Elem().Field(i); want.IsExported() {
				if got, ok := ours.Elem().FieldByName(want.Name); !ok || got.Type.String() != want.Type.String() || got.Anonymous != want.Anonymous || got.Index[0] != i {
					t.Error(ours, "has no field", want.Name, "of this type")
				}
			}
		}
	}
}
