# region install
npm install --prefix cobro-quickstart https://pay.example.com/docs/downloads/cobro-cli.tgz && cd cobro-quickstart
# endregion

# region login
npx cobro login --base-url https://pay.example.com
# endregion

# region receiver
npx cobro samples create receiver && cd receiver && npm install
# endregion

# region listen
npx cobro listen --forward-to http://localhost:4242/webhooks --write-secret .env --detach
# endregion

# region start
npm start &
# endregion

# region trigger
npx cobro trigger payment.approved --set metadata.order=A-42
# endregion
