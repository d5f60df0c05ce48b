# region operator
OPERATOR=$(curl -s https://pay.example.com/api/auth/login \
  -H 'Content-Type: application/json' \
  -d "{ \"email\": \"$OPERATOR_EMAIL\", \"password\": \"$OPERATOR_PASSWORD\" }" |
  node -p 'JSON.parse(fs.readFileSync(0)).token')
# endregion

# region user
MERCHANT=$(cobro me | node -p 'JSON.parse(fs.readFileSync(0)).merchant.id')
curl -s https://pay.example.com/api/users \
  -H "Authorization: Bearer $OPERATOR" \
  -H 'Content-Type: application/json' \
  -d "{ \"role\": \"client\", \"merchant_id\": \"$MERCHANT\", \"email\": \"ana@shop.example\", \"name\": \"Ana López\" }" |
  tee user.json
# endregion

# region password
USER_EMAIL=ana@shop.example
USER_PASSWORD=$(node -p 'crypto.randomUUID()')
SETUP_TOKEN=$(node -p 'JSON.parse(fs.readFileSync("user.json")).setup_token')
curl -s https://pay.example.com/api/auth/password \
  -H 'Content-Type: application/json' \
  -d "{ \"token\": \"$SETUP_TOKEN\", \"password\": \"$USER_PASSWORD\" }"
# endregion

# region login
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
# endregion

# region use
curl -s https://pay.example.com/api/payment-links -H "Authorization: Token $KEY"
# endregion

# region denied
curl -s https://pay.example.com/api/transactions -H "Authorization: Token $KEY"
# endregion

# region status
COBRO_API_KEY=$KEY cobro status --output yaml | sed -n '/^kind/,/^environment/p'
# endregion

# region addresses
KEY_ID=$(node -p 'JSON.parse(fs.readFileSync("key.json")).id')
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
  -d '{ "overlap_seconds": 3600 }'
# endregion

# region revoke
curl -s -X DELETE https://pay.example.com/api/api-keys/$KEY_ID \
  -H "Authorization: Bearer $USER_TOKEN"
# endregion
