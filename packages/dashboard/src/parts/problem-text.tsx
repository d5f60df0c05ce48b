import { problemOf } from '../api/problems.ts'

interface ProblemTextProps {
  /** What did not work. */
  failed: string
  error: unknown
}

/** Says what did not work and why: the code of the API, and what it says of it. */
export function ProblemText({ failed, error }: ProblemTextProps) {
  const { code, detail } = problemOf(error)
  return (
    <>
      {failed} {code && <code>{code}</code>} {detail}
    </>
  )
}
