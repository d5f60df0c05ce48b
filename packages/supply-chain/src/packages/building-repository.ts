/**
 * Returns the address of the repository that CI builds, as a manifest has it; undefined if the environment does not name it.
 * Only GitHub and GitLab, because npm creates provenance on these two.
 */
export function buildingRepository(env: NodeJS.ProcessEnv): string | undefined {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, CI_PROJECT_URL } = env
  const url = GITHUB_SERVER_URL && GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : CI_PROJECT_URL
  return url ? `git+${url}.git` : undefined
}
