# region invalid
curl -s https://pay.example.com/checkout/v1/sessions \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{ "amount": 25000, "success_url": "shop.example/thanks" }'
# endregion

# region retry
curl -s --retry 3 --retry-all-errors --max-time 35 -o session.json https://pay.example.com/checkout/v1/sessions \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: session-order-1042' \
  -d '{ "amount_total": 25000, "success_url": "https://shop.example/thanks" }'
# endregion

# region check-session
grep -q '"id": *"cs_' session.json
# endregion

# region limits
curl -s -o me.json -D - https://pay.example.com/api/me \
  -H "Authorization: Token $COBRO_API_KEY" | grep -i -E '^(ratelimit|x-request-id)'
# endregion

# region hidden-wait
until cobro requests list --status-class 4xx | grep -q invalid_request; do sleep 0.2; done
# endregion

# region log
curl -s "https://pay.example.com/api/requests?status_class=4xx" \
  -H "Authorization: Token $COBRO_API_KEY" |
  node -e 'const { data } = JSON.parse(fs.readFileSync(0))
for (const call of data) console.log(call.request_id, call.method, call.path, call.status_code, call.error_code)'
# endregion

# region log-cobro
cobro requests list --status-class 4xx
# endregion
