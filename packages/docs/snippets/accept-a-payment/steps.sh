# region create
curl -s https://pay.example.com/checkout/v1/sessions \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: order-1042' \
  -d '{
    "amount_total": 25000,
    "currency": "MXN",
    "success_url": "https://shop.example/thanks",
    "cancel_url": "https://shop.example/cart",
    "external_id": "order-1042",
    "metadata": { "cart": "C-7" }
  }' | tee session.json
# endregion

# region id
SESSION=$(node -p 'JSON.parse(fs.readFileSync("session.json")).id')
# endregion

# region declined
cobro pay $SESSION 4000000000009995 || echo 'The card was declined.'
# endregion

# region pay
cobro pay $SESSION 4242424242424242
# endregion

# region read
curl -s https://pay.example.com/checkout/v1/sessions/$SESSION \
  -H "Authorization: Token $COBRO_API_KEY"
# endregion

# region find
curl -s "https://pay.example.com/api/transactions?metadata_key=cart&metadata_value=C-7&status=approved" \
  -H "Authorization: Token $COBRO_API_KEY"
# endregion
