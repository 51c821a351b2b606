package receiver

import (
	"crypto/ed25519"
	"encoding/base64"
	"strings"
	"time"
)

// VerifyByKey says whether a delivery is genuine and fresh, by a key pair of the service. publicKeys: 32 bytes each, of
// x in every entry of the JWKS. Read it again after its max-age, and where none fits.
func VerifyByKey(rawBody []byte, header func(string) string, now time.Time, publicKeys ...ed25519.PublicKey) bool {
	id, timestamp := header("webhook-id"), header("webhook-timestamp")
	if id == "" || !isFresh(timestamp, now) {
		return false
	}
	signed := append([]byte(id+"."+timestamp+"."), rawBody...)
	for _, entry := range strings.Split(header("webhook-signature"), " ") {
		encoded, ok := strings.CutPrefix(entry, "v1a,")
		signature, err := base64.StdEncoding.DecodeString(encoded)
		if !ok || err != nil {
			continue
		}
		for _, key := range publicKeys {
			if len(key) == ed25519.PublicKeySize && ed25519.Verify(key, signed, signature) {
				return true
			}
		}
	}
	return false
}
