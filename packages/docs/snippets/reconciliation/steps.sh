# region hidden-terms
OPERATOR=$(curl -s https://pay.example.com/api/auth/login -H 'Content-Type: application/json' \
  -d "{ \"email\": \"$OPERATOR_EMAIL\", \"password\": \"$OPERATOR_PASSWORD\" }" |
  node -p 'JSON.parse(fs.readFileSync(0)).token')
MERCHANT=$(cobro me | node -p 'JSON.parse(fs.readFileSync(0)).merchant.id')
as_operator() {
  curl -s "https://pay.example.com/api/$1" -H "Authorization: Bearer $OPERATOR" -H "X-Merchant-Id: $MERCHANT" \
    -H 'Content-Type: application/json' -d "$2"
}
as_operator fee-rules '{ "name": "Cards", "payment_method": "card", "percent_bps": 360, "fixed_cents": 300, "tax_bps": 1600 }'
as_operator settlement-config '{ "frequency": "daily", "delay_days": 0 }'
as_operator rolling-reserve '{ "percent_bps": 500, "hold_days": 90 }'
# endregion

# region hidden-payments
for ORDER in order-1042 order-1043 order-1044; do
  SESSION=$(cobro sessions create --amount-total 25000 --success-url https://shop.example/thanks \
    --external-id $ORDER | node -p 'JSON.parse(fs.readFileSync(0)).id')
  cobro pay $SESSION
done
REFUNDED=$(cobro transactions list --order-id order-1044 | node -p 'JSON.parse(fs.readFileSync(0))[0].id')
cobro transactions refund $REFUNDED
until cobro transactions retrieve $REFUNDED | grep -q '"refunded"'; do sleep 0.2; done
# endregion

# region fee
curl -s https://pay.example.com/api/fee-rules \
  -H "Authorization: Token $COBRO_API_KEY"
# endregion

# region all
TODAY=$(date -u +%F)
cobro transactions list --status approved,refunded,chargeback --from $TODAY --to $TODAY --dir asc |
  node -e 'for (const { order_id, status, amount_cents, fee_cents } of JSON.parse(fs.readFileSync(0)))
  console.log(order_id, status, amount_cents, fee_cents)'
# endregion

# region page
TODAY=$(date -u +%F)
curl -s -D headers -o page.json \
  "https://pay.example.com/api/transactions?status=approved,refunded,chargeback&from=$TODAY&to=$TODAY&dir=asc&count=none&limit=2" \
  -H "Authorization: Token $COBRO_API_KEY"
grep -i '^link:' headers
# endregion

# region next
NEXT=$(sed -n 's/^link: <\(.*\)>; rel="next".*/\1/Ip' headers)
curl -s "https://pay.example.com$NEXT" -H "Authorization: Token $COBRO_API_KEY"
# endregion

# region check-next
curl -s "https://pay.example.com$NEXT" -H "Authorization: Token $COBRO_API_KEY" | grep -q order-1044
# endregion

# region hidden-settle
as_operator settlements "{ \"period_start\": \"$TODAY\", \"period_end\": \"$TODAY\", \"reference\": \"SPEI-1042\" }"
as_operator balance-snapshots '{ "note": "After the payout" }'
# endregion

# region settlements
curl -s "https://pay.example.com/api/settlements?currency=MXN&status=pending,paid" \
  -H "Authorization: Token $COBRO_API_KEY"
# endregion

# region balance
curl -s "https://pay.example.com/api/balance-snapshots?currency=MXN&order=as_of&limit=1" \
  -H "Authorization: Token $COBRO_API_KEY"
# endregion
