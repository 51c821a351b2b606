// Package receiver verifies deliveries of Hookwright with the standard library alone.
package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

// Verify says whether a delivery is genuine and fresh, by the headers of Standard Webhooks. rawBody has the bytes as
// they came; header finds a header (request.Header.Get); secrets: while you change it, the old one and the new one.
func Verify(rawBody []byte, header func(string) string, now time.Time, secrets ...string) bool {
	id, timestamp := header("webhook-id"), header("webhook-timestamp")
	if id == "" || !isFresh(timestamp, now) {
		return false
	}
	for _, secret := range secrets {
		key := []byte(secret)
		// A secret that came with webhooks of another service may be a text without whsec_.
		if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
			decoded, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				return false
			}
			key = decoded
		}
		mac := sign(key, []byte(id+"."+timestamp+"."), rawBody)
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac))
		for _, entry := range strings.Split(header("webhook-signature"), " ") {
			if hmac.Equal([]byte(entry), expected) {
				return true
			}
		}
	}
	return false
}

// VerifyContract does the same by X-Service-Signature, which does not cover id and time: prefer Verify.
func VerifyContract(rawBody []byte, header func(string) string, now time.Time, secrets ...string) bool {
	if !isFresh(header("X-Service-Timestamp"), now) {
		return false
	}
	for _, secret := range secrets {
		expected := "sha256=" + hex.EncodeToString(sign([]byte(secret), rawBody))
		if hmac.Equal([]byte(header("X-Service-Signature")), []byte(expected)) {
			return true
		}
	}
	return false
}

func sign(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}

func isFresh(timestamp string, now time.Time) bool {
	sent, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil {
		return false
	}
	age := now.Unix() - int64(sent)
	return -toleranceSeconds <= age && age <= toleranceSeconds
}
