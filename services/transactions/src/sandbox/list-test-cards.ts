import { rejectUnavailable, type SandboxControls } from '@cobro/acquirer'
import { ApiError } from '@cobro/contracts'

/** Returns the sandbox acquirer's own list of test cards. */
export function listTestCards({ sandbox }: { sandbox: SandboxControls | undefined }) {
  if (!sandbox) throw new ApiError('not_found')
  return sandbox.testCards().catch(rejectUnavailable)
}
