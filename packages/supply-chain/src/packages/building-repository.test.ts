import { buildingRepository } from './building-repository.ts'

test.each<[string, NodeJS.ProcessEnv, string | undefined]>([
  [
    'GitHub',
    { GITHUB_SERVER_URL: 'https://github.example', GITHUB_REPOSITORY: 'owner/cobro' },
    'git+https://github.example/owner/cobro.git',
  ],
  ['GitLab', { CI_PROJECT_URL: 'https://gitlab.example/a/b' }, 'git+https://gitlab.example/a/b.git'],
  ['half of the variables', { GITHUB_REPOSITORY: 'owner/cobro' }, undefined],
  ['nothing', { CI: 'true' }, undefined],
])('the building repository is read from the variables of %s', (_, env, expected) => {
  expect(buildingRepository(env)).toBe(expected)
})
