import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation } from '../declarations/operation.ts'
import { dataOf, named } from '../fields/pagination.ts'
import { account, guessable } from './auth.ts'
import { newPassword } from './users.ts'

const ofCaller = { ...guessable, callers: callerSets.users, area: 'caller' } as const

const endedLogins = named(
  'EndedLoginsResponse',
  z.object({
    data: z.object({ ended: z.literal(true).describe('Always `true`.') }).describe('The other logins have ended.'),
  }),
)

/** What users who are logged in do about their own logins. */
export const ownLoginOperations = {
  changePassword: operation({
    ...ofCaller,
    fresh: true,
    id: 'changePassword',
    summary: 'Change the password',
    description:
      'Changes the password of the user, and ends its other logins, whose access tokens become invalid within a second.',
    path: '/api/me/password',
    body: named('ChangePassword', z.strictObject({ password: newPassword })),
    emits: ['auth.password_set'],
    response: dataOf(account),
  }),
  endOthers: operation({
    ...ofCaller,
    id: 'endOtherLogins',
    summary: 'End other logins',
    description:
      'Ends all logins of the user but the one that calls. Their access tokens become invalid within a second.',
    path: '/api/me/logins/end',
    emits: ['auth.other_logins_ended'],
    response: endedLogins,
  }),
}
