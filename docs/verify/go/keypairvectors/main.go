// go run ./keypairvectors v2.tsv: goes through the public vectors of key pairs, and says where the result differs.
package main

import (
	"crypto/ed25519"
	"os"

	receiver "hookwright.example/receiver"
	"hookwright.example/receiver/vectorfile"
)

func main() {
	vectorfile.Check(os.Args[1], 5, func(row []string) bool {
		keys := []ed25519.PublicKey{}
		for _, key := range vectorfile.Lines(row[1]) {
			keys = append(keys, ed25519.PublicKey(vectorfile.Decoded(key)))
		}
		return receiver.VerifyByKey([]byte(vectorfile.Decoded(row[3])), vectorfile.Header(row[2]), vectorfile.At(row[4]), keys...)
	})
}
