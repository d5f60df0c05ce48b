package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
)

// region verify
import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

const toleranceSeconds = 300

var (
	wholeSecret = regexp.MustCompile(`^whsec_[A-Za-z0-9+/]{32,}={0,2}$`)
	unixSeconds = regexp.MustCompile(`^[0-9]{1,12}$`)
)

// VerifyWebhook returns nil if Cobro signed these bytes at most five minutes before now.
// One of the endpoint's signing secrets has to match.
func VerifyWebhook(rawBody []byte, header http.Header, secrets []string, now time.Time) error {
	// Otherwise an unset variable would become a key that anyone can guess.
	if len(secrets) == 0 {
		return errors.New("expected a signing secret")
	}
	for _, secret := range secrets {
		if !wholeSecret.MatchString(secret) {
			return errors.New("expected whole signing secrets, including whsec_")
		}
	}
	timestamp := singleHeader(header, "X-Service-Signature-Timestamp")
	signature := singleHeader(header, "X-Service-Signature-V1")
	previous := singleHeader(header, "X-Service-Signature-V1-Previous")
	if timestamp == nil || signature == nil || !unixSeconds.MatchString(*timestamp) {
		return errors.New("a header is missing, repeated or malformed")
	}
	signedAt, err := strconv.ParseInt(*timestamp, 10, 64)
	if err != nil {
		return err
	}
	if age := now.Unix() - signedAt; age > toleranceSeconds || age < -toleranceSeconds {
		return errors.New("the signature is too old, or from the future")
	}
	genuine := false
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(*timestamp + "."))
		mac.Write(rawBody)
		expected := []byte(hex.EncodeToString(mac.Sum(nil)))
		for _, given := range []*string{signature, previous} {
			if given != nil && hmac.Equal(expected, []byte(*given)) {
				genuine = true
			}
		}
	}
	if !genuine {
		return errors.New("no signature matches")
	}
	return nil
}

// singleHeader returns the value of a header; nil if it is missing or repeated.
func singleHeader(header http.Header, name string) *string {
	if values := header.Values(name); len(values) == 1 {
		return &values[0]
	}
	return nil
}

// endregion

// Reads test vectors, one a line: body, time and secrets, and headers as name:value, all but the time in base64.
func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		seconds, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			panic(err)
		}
		secrets := []string{}
		for _, secret := range listOf(fields[2]) {
			secrets = append(secrets, decoded(secret))
		}
		header := http.Header{}
		for _, pair := range listOf(fields[3]) {
			name, value, _ := strings.Cut(pair, ":")
			header.Add(decoded(name), decoded(value))
		}
		fmt.Println(VerifyWebhook([]byte(decoded(fields[0])), header, secrets, time.Unix(seconds, 0)) == nil)
	}
}

func decoded(text string) string {
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return string(bytes)
}

func listOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
