// go run ./keypairvectors v2.tsv: goes through the public vectors of key pairs, and says where the result differs.
package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"os"
	"strconv"
	"strings"
	"time"

	receiver "hookwright.example/receiver"
)

func decoded(text string) string {
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return string(bytes)
}

func main() {
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	lines := strings.Split(strings.TrimSpace(string(file)), "\n")[1:]
	wrong := 0
	for _, line := range lines {
		row := strings.Split(line, "\t")
		keys := []ed25519.PublicKey{}
		for _, key := range strings.Split(decoded(row[1]), "\n") {
			keys = append(keys, ed25519.PublicKey(decoded(key)))
		}
		headers := map[string]string{}
		for _, header := range strings.Split(decoded(row[2]), "\n") {
			name, value, _ := strings.Cut(header, ": ")
			headers[strings.ToLower(name)] = value
		}
		header := func(name string) string { return headers[strings.ToLower(name)] }
		seconds, _ := strconv.ParseInt(row[4], 10, 64)
		takes := receiver.VerifyByKey([]byte(decoded(row[3])), header, time.Unix(seconds, 0), keys...)
		if takes != (row[5] == "ok") {
			wrong++
			println(row[0], takes)
		}
	}
	os.Stdout.WriteString(strconv.Itoa(len(lines)) + " vectors, " + strconv.Itoa(wrong) + " wrong\n")
	if wrong > 0 {
		os.Exit(1)
	}
}
