import { destinationOf } from './destination.ts'

test.each([
  [' txn_01abc\n', { to: '/$scope/payments/$id', needs: 'getTransaction', id: 'txn_01abc' }],
  [
    'https://pay.example.com/links/pl_01abc',
    { to: '/$scope/links/$id', needs: 'getMerchantPaymentLink', id: 'pl_01abc' },
  ],
  ['cs_01abc', { to: '/$scope/sessions/$id', needs: 'getMerchantCheckoutSession', id: 'cs_01abc' }],
  ['whd_01abc', { to: '/$scope/deliveries/$id', needs: 'getWebhookDelivery', id: 'whd_01abc' }],
  ['req_01abc', { to: '/$scope/requests/$id', needs: 'listRequests', id: 'req_01abc' }],
  ['suc_01abc', { to: '/$scope/branches/$id', needs: 'getSucursal', id: 'suc_01abc' }],
  ['ana@example.com', { to: '/$scope/payments', search: 'ana@example.com' }],
  ['order txn_01abc and more', { to: '/$scope/payments', search: 'order txn_01abc and more' }],
  ['constructor_1', { to: '/$scope/payments', search: 'constructor_1' }],
  ['  ', undefined],
])('%j leads to %j', (text, destination) => {
  expect(destinationOf(text)).toEqual(destination)
})
