/**
 * How many more a merchant may have in flight in a process that has room for `free` more, while it has `own`: together at most
 * half of what all others leave. So one whose endpoints hang takes half of the room, and whoever comes next still finds some.
 */
export function roomOf(free: number, own: number): number {
  return Math.max(0, Math.ceil((free - own) / 2))
}
