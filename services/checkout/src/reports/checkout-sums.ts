/** The steps that a report sums, by which sessions and links count in the hour of their creation. */
export const checkoutSums = ['created', 'viewed', 'attempted', 'completed', 'expired', 'cancelled'] as const
