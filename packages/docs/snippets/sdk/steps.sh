# region install
mkdir -p vendor
curl -s -o vendor/cobro-sdk.tgz https://pay.example.com/docs/downloads/cobro-sdk.tgz
npm install ./vendor/cobro-sdk.tgz
# endregion

# region check-install
node --input-type=module -e 'import { createCobro } from "@cobro/sdk"
const cobro = createCobro({ apiKey: process.env.COBRO_API_KEY, baseUrl: "https://pay.example.com" })
console.log((await cobro.me()).environment)'
# endregion
