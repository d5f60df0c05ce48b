import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { apiClient } from '../src/api-client.ts'
import { directCall } from '../src/direct-call.ts'
import { directRoutes, forgedIdentities } from '../src/forged-identities.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack
let accessToken: string
beforeAll(async () => {
  stack = await sharedStack()
  accessToken = (await apiClient(stack.stack.base_url).call('POST', '/api/auth/login', stack.stack.operator)).body.token
})
afterAll(() => stack?.stop())

test.each(directRoutes)(
  'the service %s, reached directly, answers each forged identity with 401 and nothing else: %s %s',
  async (service, method, path) => {
    for (const { what, headers } of forgedIdentities(stack.stack, accessToken)) {
      const answer = await directCall(`${stack.stack.services[service]?.url}${path}`, method, headers)
      expect([what, answer]).toEqual([what, { status: 401, body: '{"error":"unauthorized"}' }])
    }
  },
)
