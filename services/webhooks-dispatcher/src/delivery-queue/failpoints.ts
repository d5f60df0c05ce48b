/** Points next to a commit or a send at which tests kill the process. Listed in the order an event passes them. */
export const failpoints = [
  'received',
  'fanned_out',
  'stored',
  'claimed',
  'leased',
  'sent',
  'recording',
  'recorded',
] as const

/** Called at each failpoint. Only tests do anything there. */
export type ReachFailpoint = (failpoint: (typeof failpoints)[number]) => Promise<void>

export const ignoreFailpoints: ReachFailpoint = async () => undefined
