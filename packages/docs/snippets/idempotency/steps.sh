# region order
echo '{ "amount_total": 25000, "success_url": "https://shop.example/thanks", "external_id": "order-1042" }' > order.json
# endregion

# region first
curl -s https://pay.example.com/checkout/v1/sessions \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: session-order-1042' \
  -d @order.json | node -p 'JSON.parse(fs.readFileSync(0)).id' | tee first
# endregion

# region cobro
cobro sessions create --amount-total 25000 --success-url https://shop.example/thanks \
  --idempotency-key session-order-1043
# endregion

# region again
curl -s -D headers https://pay.example.com/checkout/v1/sessions \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: session-order-1042' \
  -d @order.json | node -p 'JSON.parse(fs.readFileSync(0)).id' | tee second
grep -i idempotent headers
# endregion

# region check-same
cmp first second
# endregion

# region other
curl -s https://pay.example.com/checkout/v1/sessions \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: session-order-1042' \
  -d '{ "amount_total": 99900, "success_url": "https://shop.example/thanks" }'
# endregion

# region find
cobro sessions list --external-id order-1042
# endregion
