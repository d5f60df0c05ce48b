# region use
curl -s https://pay.example.com/api/me -H "Authorization: Token $COBRO_API_KEY"
# endregion

# region hidden-user
OPERATOR=$(curl -s https://pay.example.com/api/auth/login \
  -H 'Content-Type: application/json' \
  -d "{ \"email\": \"$OPERATOR_EMAIL\", \"password\": \"$OPERATOR_PASSWORD\" }" |
  node -p 'JSON.parse(fs.readFileSync(0)).token')
MERCHANT=$(cobro me | node -p 'JSON.parse(fs.readFileSync(0)).merchant.id')
curl -s https://pay.example.com/api/users \
  -H "Authorization: Bearer $OPERATOR" \
  -H 'Content-Type: application/json' \
  -d "{ \"role\": \"client\", \"merchant_id\": \"$MERCHANT\", \"email\": \"luis@shop.example\", \"name\": \"Luis Pérez\",
    \"password\": \"a password of twelve or more\" }"
# endregion

# region login
USER_EMAIL='luis@shop.example'
USER_PASSWORD='a password of twelve or more'
USER_TOKEN=$(curl -s https://pay.example.com/api/auth/login \
  -H 'Content-Type: application/json' \
  -d "{ \"email\": \"$USER_EMAIL\", \"password\": \"$USER_PASSWORD\" }" |
  node -p 'JSON.parse(fs.readFileSync(0)).token')
# endregion

# region create
curl -s https://pay.example.com/api/api-keys \
  -H "Authorization: Bearer $USER_TOKEN" \
  -H 'Content-Type: application/json' \
  -d '{
    "name": "web shop",
    "scopes": ["checkout:read", "checkout:write"],
    "expires_at": "2036-11-21T18:04:05.123Z"
  }' | tee key.json
# endregion

# region key
KEY=$(node -p 'JSON.parse(fs.readFileSync("key.json")).key')
KEY_ID=$(node -p 'JSON.parse(fs.readFileSync("key.json")).id')
# endregion

# region status
COBRO_API_KEY=$KEY cobro status --output yaml | sed -n '/^kind/,/^environment/p'
# endregion

# region check-use
curl -s https://pay.example.com/api/payment-links -H "Authorization: Token $KEY" | grep -q '"count":0'
# endregion

# region denied
curl -s https://pay.example.com/api/transactions -H "Authorization: Token $KEY"
# endregion

# region addresses
curl -s -X PUT https://pay.example.com/api/api-keys/$KEY_ID \
  -H "Authorization: Bearer $USER_TOKEN" \
  -H 'Content-Type: application/json' \
  -d '{ "allowed_ips": ["203.0.113.0/24", "2001:db8:7::/48"] }'
# endregion

# region check-addresses
curl -s https://pay.example.com/api/api-keys/$KEY_ID -H "Authorization: Bearer $USER_TOKEN" | grep -q '203.0.113.0/24'
# endregion

# region rotate
curl -s https://pay.example.com/api/api-keys/$KEY_ID/rotate \
  -H "Authorization: Bearer $USER_TOKEN" \
  -H 'Content-Type: application/json' \
  -d '{ "overlap_seconds": 3600, "expires_at": "2037-11-21T18:04:05.123Z" }' | tee successor.json
# endregion

# region check-rotate
SUCCESSOR=$(node -p 'JSON.parse(fs.readFileSync("successor.json")).id')
curl -s https://pay.example.com/api/api-keys/$SUCCESSOR -H "Authorization: Bearer $USER_TOKEN" |
  grep -q '"expires_at":"2037-11-21T18:04:05.123Z"'
# endregion

# region revoke
curl -s -X DELETE https://pay.example.com/api/api-keys/$KEY_ID \
  -H "Authorization: Bearer $USER_TOKEN"
# endregion

# region operator
OPERATOR=$(curl -s https://pay.example.com/api/auth/login \
  -H 'Content-Type: application/json' \
  -d "{ \"email\": \"$OPERATOR_EMAIL\", \"password\": \"$OPERATOR_PASSWORD\" }" |
  node -p 'JSON.parse(fs.readFileSync(0)).token')
MERCHANT=$(cobro me | node -p 'JSON.parse(fs.readFileSync(0)).merchant.id')
# endregion

# region user
curl -s https://pay.example.com/api/users \
  -H "Authorization: Bearer $OPERATOR" \
  -H 'Content-Type: application/json' \
  -d "{ \"role\": \"client\", \"merchant_id\": \"$MERCHANT\", \"email\": \"ana@shop.example\", \"name\": \"Ana López\" }" |
  tee user.json
# endregion

# region password
SETUP_TOKEN=$(node -p 'JSON.parse(fs.readFileSync("user.json")).setup_token')
NEW_PASSWORD=$(node -p 'crypto.randomUUID()')
curl -s https://pay.example.com/api/auth/password \
  -H 'Content-Type: application/json' \
  -d "{ \"token\": \"$SETUP_TOKEN\", \"password\": \"$NEW_PASSWORD\" }"
# endregion

# region check-password
curl -s https://pay.example.com/api/auth/login \
  -H 'Content-Type: application/json' \
  -d "{ \"email\": \"ana@shop.example\", \"password\": \"$NEW_PASSWORD\" }" | grep -q '"token"'
# endregion
