// go run ./vectors v1.tsv: goes through the public vectors, and says where the result differs.
package main

import (
	"os"

	receiver "hookwright.example/receiver"
	"hookwright.example/receiver/vectorfile"
)

func main() {
	vectorfile.Check(os.Args[1], 6, func(row []string) bool {
		verify := receiver.Verify
		if row[1] == "contract" {
			verify = receiver.VerifyContract
		}
		secrets := vectorfile.Lines(row[2])
		return verify([]byte(vectorfile.Decoded(row[4])), vectorfile.Header(row[3]), vectorfile.At(row[5]), secrets...)
	})
}
