/** Points next to a commit or send where tests kill the process, in the order an event passes. */
export const failpoints = ['received', 'stored', 'claimed', 'leased', 'sent', 'recording', 'recorded'] as const

/** Called at each failpoint. Only tests do anything there. */
export type ReachFailpoint = (failpoint: (typeof failpoints)[number]) => Promise<void>

export const ignoreFailpoints: ReachFailpoint = async () => undefined
