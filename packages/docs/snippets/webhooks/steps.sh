# region create
curl -s https://pay.example.com/api/webhooks \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "url": "https://shop.example/webhooks",
    "events": ["payment.approved", "payment.refunded"]
  }' | tee webhook.json
# endregion

# region create-cobro
cobro webhook-endpoints create --url https://shop.example/webhooks --events payment.approved,payment.refunded
# endregion

# region id
WEBHOOK=$(node -p 'JSON.parse(fs.readFileSync("webhook.json")).id')
# endregion

# region hidden-stop-at-the-end
trap 'cobro listen --stop --quiet' EXIT
# endregion

# region listen
cobro listen --forward-to http://localhost:4243/webhooks --write-secret .env --detach
# endregion

# region trigger
cobro trigger payment.approved --set metadata.order=A-42
# endregion

# region stop
cobro listen --stop
# endregion

# region test
curl -s -X POST https://pay.example.com/api/webhooks/$WEBHOOK/test \
  -H "Authorization: Token $COBRO_API_KEY" > delivery.json
# endregion

# region delivery-id
DELIVERY=$(node -p 'JSON.parse(fs.readFileSync("delivery.json")).data.id')
# endregion

# region hidden-wait
until cobro webhook-deliveries retrieve $DELIVERY | grep -q '"status": "failed"'; do sleep 0.2; done
# endregion

# region deliveries
curl -s "https://pay.example.com/api/webhook-deliveries?webhook_id=$WEBHOOK&status=failed,exhausted" \
  -H "Authorization: Token $COBRO_API_KEY" |
  node -e 'const { data } = JSON.parse(fs.readFileSync(0))
for (const { id, event, attempts: [last] } of data) console.log(id, event, last.status_code, last.error)'
# endregion

# region redeliver
curl -s -X POST https://pay.example.com/api/webhook-deliveries/$DELIVERY/redeliver \
  -H "Authorization: Token $COBRO_API_KEY"
# endregion

# region event
EVENT=$(cobro events list --events payment.approved --limit 1 | node -p 'JSON.parse(fs.readFileSync(0))[0].id')
# endregion

# region past
curl -s https://pay.example.com/api/webhook-deliveries \
  -H "Authorization: Token $COBRO_API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{ "webhook_id": "'$WEBHOOK'", "event_id": "'$EVENT'" }'
# endregion

# region past-cobro
cobro events resend $EVENT --to $WEBHOOK
# endregion

# region rotate
curl -s -X POST https://pay.example.com/api/webhooks/$WEBHOOK/rotate \
  -H "Authorization: Token $COBRO_API_KEY" > rotated.json
# endregion

# region hidden-delete
cobro webhook-endpoints delete $WEBHOOK
# endregion
