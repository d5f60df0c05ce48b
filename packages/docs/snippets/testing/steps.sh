# region cards
cobro cards --output table
# endregion

# region session
SESSION=$(cobro sessions create --amount-total 25000 --success-url https://shop.example/thanks |
  node -p 'JSON.parse(fs.readFileSync(0)).id')
# endregion

# region declined
cobro pay $SESSION 4000000000009995 || echo 'The session is still open.'
# endregion

# region stolen
cobro pay $SESSION 4000000000009979 || true
cobro transactions list --status declined --output yaml | grep -oE '\b(status|decline_reason): .*'
# endregion

# region failed
cobro pay $SESSION 4000000000000119 || true
# endregion

# region cut
cobro pay $SESSION 4000000000006975
# endregion

# region trigger
cobro trigger payment.declined --set metadata.order=A-42 --output yaml
# endregion

# region show
cobro trigger payment.refunded --show | tee refunded.yaml
# endregion

# region run
cobro run refunded.yaml --output yaml | grep -E '^(session|paid|event):'
# endregion
