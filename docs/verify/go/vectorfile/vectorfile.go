// Package vectorfile goes through a file of public vectors, whose first line names its columns.
package vectorfile

import (
	"encoding/base64"
	"os"
	"strconv"
	"strings"
	"time"
)

// Check calls takes with the columns of each vector, says where the result differs from the column expected, and ends
// the program with 1 if it does anywhere.
func Check(path string, expected int, takes func(row []string) bool) {
	file, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	lines := strings.Split(strings.TrimSpace(string(file)), "\n")[1:]
	wrong := 0
	for _, line := range lines {
		row := strings.Split(line, "\t")
		if took := takes(row); took != (row[expected] == "ok") {
			wrong++
			println(row[0], took)
		}
	}
	os.Stdout.WriteString(strconv.Itoa(len(lines)) + " vectors, " + strconv.Itoa(wrong) + " wrong\n")
	if wrong > 0 {
		os.Exit(1)
	}
}

// Decoded gives the text of a column in base64.
func Decoded(column string) string {
	bytes, err := base64.StdEncoding.DecodeString(column)
	if err != nil {
		panic(err)
	}
	return string(bytes)
}

// Lines gives the lines of a column in base64.
func Lines(column string) []string {
	return strings.Split(Decoded(column), "\n")
}

// Header finds a header by its name in any case, in a column of lines such as "name: value".
func Header(column string) func(name string) string {
	headers := map[string]string{}
	for _, header := range Lines(column) {
		name, value, _ := strings.Cut(header, ": ")
		headers[strings.ToLower(name)] = value
	}
	return func(name string) string { return headers[strings.ToLower(name)] }
}

// At gives the time of a column in seconds.
func At(column string) time.Time {
	seconds, _ := strconv.ParseInt(column, 10, 64)
	return time.Unix(seconds, 0)
}
