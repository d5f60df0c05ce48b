# region payment
SESSION=$(cobro sessions create --amount-total 25000 --success-url https://shop.example/thanks \
  --external-id order-1042 | node -p 'JSON.parse(fs.readFileSync(0)).id')
cobro pay $SESSION
# endregion

# region transaction
TRANSACTION=$(curl -s https://pay.example.com/checkout/v1/sessions/$SESSION \
  -H "Authorization: Token $COBRO_API_KEY" | node -p 'JSON.parse(fs.readFileSync(0)).transaction_id')
# endregion

# region refund
curl -s -X POST https://pay.example.com/api/transactions/$TRANSACTION/refund \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Idempotency-Key: refund-order-1042'
# endregion

# region hidden-wait
until cobro transactions retrieve $TRANSACTION | grep -q '"refund_status": "completed"'; do sleep 0.2; done
# endregion

# region read
cobro transactions retrieve $TRANSACTION --output yaml | grep -E '^(status|amount_cents|fee_cents|refund|refunded)'
# endregion

# region again
curl -s -X POST https://pay.example.com/api/transactions/$TRANSACTION/refund \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Idempotency-Key: refund-order-1042-again'
# endregion

# region refused
SESSION=$(cobro sessions create --amount-total 25000 --success-url https://shop.example/thanks |
  node -p 'JSON.parse(fs.readFileSync(0)).id')
cobro pay $SESSION 4000000000005126
TRANSACTION=$(cobro sessions retrieve $SESSION | node -p 'JSON.parse(fs.readFileSync(0)).transaction_id')
cobro transactions refund $TRANSACTION > /dev/null
until cobro transactions retrieve $TRANSACTION | grep -q '"refund_status": "failed"'; do sleep 0.2; done
cobro transactions retrieve $TRANSACTION --output yaml | grep -E '^(status|refund_status)'
# endregion

# region disputed
SESSION=$(cobro sessions create --amount-total 25000 --success-url https://shop.example/thanks \
  --external-id order-1043 | node -p 'JSON.parse(fs.readFileSync(0)).id')
cobro pay $SESSION 4000000000000259
DISPUTED=$(cobro sessions retrieve $SESSION | node -p 'JSON.parse(fs.readFileSync(0)).transaction_id')
# endregion

# region hidden-wait-for-dispute
until cobro disputes list --transaction-id $DISPUTED | grep -q '"open"'; do sleep 0.2; done
# endregion

# region dispute
curl -s "https://pay.example.com/api/disputes?transaction_id=$DISPUTED" \
  -H "Authorization: Token $COBRO_API_KEY" | tee disputes.json
# endregion

# region dispute-id
DISPUTE=$(node -p 'JSON.parse(fs.readFileSync("disputes.json")).data[0].id')
# endregion

# region evidence
curl -s -X PUT https://pay.example.com/api/disputes/$DISPUTE \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{ "evidence": { "receipt": "Ticket 1043", "delivery": "Signed by A. López on 2026-11-21" } }'
# endregion

# region accept
curl -s -X PUT https://pay.example.com/api/disputes/$DISPUTE \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{ "status": "accepted" }'
# endregion

# region check-dispute
cobro disputes retrieve $DISPUTE | grep -q 'Signed by A. López'
cobro disputes retrieve $DISPUTE | grep -q '"accepted"'
# endregion

# region cannot-refund
cobro transactions refund $DISPUTED 2>&1 || true
# endregion
