# region create
curl -s https://pay.example.com/checkout/v1/sessions \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: session-order-1042' \
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
  -H "Authorization: Token $COBRO_API_KEY" | tee paid.json
# endregion

# region check-read
grep -q '"transaction_status":"Approved"' paid.json
# endregion

# region find
curl -s "https://pay.example.com/api/transactions?metadata_key=cart&metadata_value=C-7&status=approved" \
  -H "Authorization: Token $COBRO_API_KEY"
# endregion

# region fields
curl -s https://pay.example.com/checkout/v1/sessions \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: session-order-1043' \
  -d '{
    "return_url": "https://shop.example/back",
    "line_items": [{ "name": "Taza azul", "quantity": 2, "unit_price": 12500, "product_id": "mug-blue" }],
    "customer": { "first_name": "Ana", "last_name": "López", "email": "ana@shop.example" },
    "expires_in": 3600,
    "ui_config": { "locale": "es", "brand_color": "#0b5fff", "logo_url": "https://shop.example/logo.png" }
  }' | tee detailed.json
# endregion

# region check-fields
grep -q '"amount_total":25000' detailed.json
# endregion
