# region create
curl -s https://pay.example.com/checkout/v1/sessions \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: session-order-1042' \
  -d '{
    "amount_total": 25000,
    "success_url": "https://shop.example/thanks",
    "external_id": "order-1042",
    "payment_method_types": ["card", "cash"]
  }' > session.json
# endregion

# region id
SESSION=$(node -p 'JSON.parse(fs.readFileSync("session.json")).id')
# endregion

# region voucher
cobro pay $SESSION cash | tee answer.txt
# endregion

# region pending
cobro transactions list --order-id order-1042 --output yaml | grep -oE '\b(payment_method|status|amount_cents): .*'
# endregion

# region check-card
cobro pay $SESSION 4242424242424242 || echo 'The session waits for cash.'
# endregion

# region pay
VOUCHER=$(sed 's/^202 //' answer.txt | node -p 'JSON.parse(fs.readFileSync(0)).voucher.reference')
curl -s -X POST https://pay.example.com/api/sandbox/vouchers/$VOUCHER/pay \
  -H "Authorization: Token $COBRO_API_KEY"
# endregion

# region hidden-wait
until cobro sessions retrieve $SESSION | grep -q '"status": "completed"'; do sleep 0.2; done
# endregion

# region paid
cobro transactions list --order-id order-1042 --output yaml | grep -oE '\b(payment_method|status|amount_cents): .*'
# endregion

# region late
SESSION=$(cobro sessions create --amount-total 25000 --success-url https://shop.example/thanks \
  --external-id order-1043 --payment-method-types card,cash --idempotency-key session-order-1043 |
  node -p 'JSON.parse(fs.readFileSync(0)).id')
VOUCHER=$(cobro pay $SESSION cash | sed 's/^202 //' | node -p 'JSON.parse(fs.readFileSync(0)).voucher.reference')
cobro sessions cancel $SESSION > /dev/null
cobro sandbox pay-voucher $VOUCHER
# endregion

# region hidden-wait-for-refund
until cobro transactions list --order-id order-1043 | grep -q '"completed"'; do sleep 0.2; done
# endregion

# region refunded
cobro transactions list --order-id order-1043 --output yaml | grep -oE '\b(status|late_payment_of|refund_status): .*'
# endregion
