/** The moments on an event's way to its receivers at which a process may end: each lies beside a commit or a send. */
export const steps = ['received', 'fanned_out', 'kept', 'claimed', 'leased', 'sent', 'concluded', 'recorded'] as const

export type Step = (typeof steps)[number]

/** Called at each step. A running service does nothing there; tests end it. */
export type AtStep = (step: Step) => Promise<void>

export const carryOn: AtStep = async () => undefined
