# region hidden-events
cobro trigger payment.approved --quiet > event.json
until [ $(cobro events list | grep -c sequence) = 3 ]; do sleep 0.2; done
# endregion

# region first
curl -s "https://pay.example.com/api/webhook-events?limit=1" \
  -H "Authorization: Token $COBRO_API_KEY" | tee page.json
# endregion

# region shown
node -e 'const page = JSON.parse(fs.readFileSync("page.json"))
for (const event of page.data) event.payload = "{\"id\":\"evt_…\",\"object\":\"event\", …}"
console.log(JSON.stringify(page))'
# endregion

# region next
AFTER=$(node -p 'JSON.parse(fs.readFileSync("page.json")).through')
curl -s "https://pay.example.com/api/webhook-events?after=$AFTER&events=payment.*,payment_link.paid&wait=20" \
  -H "Authorization: Token $COBRO_API_KEY"
# endregion

# region list
cobro events list --events 'payment.*' --limit 20
# endregion

# region show
EVENT=$(node -p 'JSON.parse(fs.readFileSync("page.json")).data[0].id')
cobro events show $EVENT
# endregion

# region floor
curl -s "https://pay.example.com/api/webhook-events?after=latest&limit=1" \
  -H "Authorization: Token $COBRO_API_KEY" | node -p 'JSON.parse(fs.readFileSync(0)).floor - 1'
# endregion
