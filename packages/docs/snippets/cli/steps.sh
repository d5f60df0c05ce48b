# region hidden-prefix
export npm_config_prefix=$HOME/npm PATH=$HOME/npm/bin:$PATH
# endregion

# region install
npm install --global https://pay.example.com/docs/downloads/cobro-cli.tgz
# endregion

# region hidden-wait
until cobro status > status.json; do sleep 0.5; done
# endregion

# region hidden-key
echo $COBRO_API_KEY > key
unset COBRO_API_KEY COBRO_BASE_URL
# endregion

# region login
cobro login --base-url https://pay.example.com --profile sandbox --api-key-file key
cobro use sandbox
cobro status
# endregion

# region try
cobro trigger payment.approved --set metadata.order=A-42
cobro transactions list --status approved --from 2026-11-01 --max-items 500
# endregion

# region input
cobro sessions create --amount-total 25000 --success-url https://shop.example/thanks --metadata.order A-43
echo '{ "amount_total": 25000, "success_url": "https://shop.example/thanks" }' | cobro sessions create --data @-
# endregion

# region output
cobro transactions list --output ndjson | wc -l
# endregion
