# region create
curl -s https://pay.example.com/checkout/v1/links \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: link-A-1042' \
  -d '{
    "amount": "250.00",
    "concepto": "Curso de barismo",
    "reference": "A-1042",
    "expires_in": 604800,
    "metadata": { "student": "S-31" }
  }' | tee link.json
# endregion

# region cli-create
cobro links create --concepto 'Curso de barismo' --amount 250.00 --reference A-1043 \
  --idempotency-key link-A-1043
# endregion

# region id
LINK=$(node -p 'JSON.parse(fs.readFileSync("link.json")).data.id')
# endregion

# region public
curl -s https://pay.example.com/api/public/links/$LINK
# endregion

# region update
curl -s -X PUT https://pay.example.com/api/payment-links/$LINK \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{ "amount_cents": 22500 }'
# endregion

# region pay
cobro pay $LINK
# endregion

# region check-again
cobro pay $LINK || echo 'The link was not paid again.'
# endregion

# region list
curl -s "https://pay.example.com/api/payment-links?status=paid&reference=A-1042" \
  -H "Authorization: Token $COBRO_API_KEY"
# endregion

# region transaction
curl -s "https://pay.example.com/api/transactions?payment_link_id=$LINK&status=approved" \
  -H "Authorization: Token $COBRO_API_KEY" |
  node -e 'const { data } = JSON.parse(fs.readFileSync(0))
for (const { status, amount_cents, reference, metadata } of data) console.log(status, amount_cents, reference, metadata)'
# endregion

# region cancel
OTHER=$(cobro links create --concepto 'Curso de latte art' --amount-cents 30000 |
  node -p 'JSON.parse(fs.readFileSync(0)).data.id')
curl -s -X POST https://pay.example.com/checkout/v1/links/$OTHER/cancel \
  -H "Authorization: Token $COBRO_API_KEY"
# endregion

# region check-cancel
cobro links retrieve $OTHER | grep -q '"cancelled"'
# endregion
