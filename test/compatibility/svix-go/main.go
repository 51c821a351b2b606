// Verifies requests by Svix' own library: JSON lines of secret, headers and body on standard input, a word for each.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	svix "github.com/svix/svix-webhooks/go"
)

type request struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

func verifies(r request) bool {
	webhook, err := svix.NewWebhook(r.Secret)
	if err != nil {
		return false
	}
	headers := http.Header{}
	for name, value := range r.Headers {
		headers.Set(name, value)
	}
	return webhook.Verify([]byte(r.Body), headers) == nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			panic(err)
		}
		fmt.Println(verifies(r))
	}
}
