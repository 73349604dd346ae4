import { ValidationCode, validate } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import { readDockerfile, type Stage } from './support/dockerfile.mjs'
import { variants } from './support/variants.js'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { choose } from '../../src/init/choose.js'
import { renderFiles } from '../../src/init/index.js'
import { inspectProject } from '../../src/init/project.js'
import { read, root } from '../support/source.js'
import { temporaryFolder } from '../support/temporary-folder.js'

describe.each(variants)('the Dockerfile for $name', ({ choices, project, files }) => {
  const text = files.get('Dockerfile')!
  const stages = readDockerfile(text)
  const last = stages.at(-1)!
  const of = <K extends string>(stage: Stage, keyword: K) =>
    stage.instructions.filter(
      (one): one is Extract<(typeof stage.instructions)[number], { keyword: K }> => one.keyword === keyword,
    )

  test('has nothing that a linter finds', () => {
    expect(validate(text).map(({ range, message }) => `${range.start.line + 1}: ${message}`)).toEqual([])
  })

  test('begins with images of one pinned version, by short names', () => {
    const images = new Set(stages.slice(0, -1).map(({ image }) => image))
    expect([...images]).toHaveLength(1)
    expect([...images][0]).toMatch(/^[a-z]+:\d+-[a-z]+-slim$/)
  })

  test('ends in an empty image with only what was copied from the stages', () => {
    expect(last.image).toBe('scratch')
    expect(of(last, 'RUN')).toEqual([])
    const names = stages.map(({ name }) => name)
    for (const { from } of of(last, 'COPY')) if (from !== undefined) expect(names).toContain(from)
  })

  test('runs as a user that is not root, and its first process is tini', () => {
    expect(of(last, 'USER')).toEqual([{ keyword: 'USER', user: '1001:1001' }])
    const entrypoint = last.instructions.find((one) => one.keyword === 'ENTRYPOINT')
    const words = entrypoint !== undefined && 'words' in entrypoint ? entrypoint.words : []
    expect(words.slice(0, 2)).toEqual(['/usr/bin/tini', '--'])
    // There is no PATH to rely on in an empty image, nor a shell.
    expect(words[2]).toBe('/usr/local/bin/node')
    expect(words.slice(4)).toEqual(
      choices.kind === 'page'
        ? ['host', '/game', '--browser', '/usr/lib/chromium/chromium-headless-shell']
        : ['host', '--node', `/server/${choices.entry}`],
    )
  })

  test('installs by the lock file of the project, where there is one', () => {
    const copied = of(stages[0]!, 'COPY')[0]!.sources
    expect(copied).toEqual(project.installNeedsSources ? ['.'] : project.manifests)
    const commands = stages.flatMap((stage) => of(stage, 'RUN')).map(({ command }) => command)
    const byLock = { npm: 'npm ci', pnpm: 'pnpm install --frozen-lockfile', yarn: 'yarn install' }[project.manager]
    const usesIt = commands.some((command) => command.includes(byLock))
    // Without a build, a page's own packages aren't installed at all.
    expect(usesIt).toBe(project.manifests.length > 1 && (choices.kind === 'node' || project.hasBuild))
  })

  test('makes the files of the game readable for its user, whatever modes they have', () => {
    const [modes] = of(last, 'COPY').filter(({ to }) => to === '/game/' || to === '/server/')
    expect(modes!.chmod).toBe('755')
  })

  test('leaves secrets and installed packages out of what is copied', () => {
    const ignored = files.get('.dockerignore')!.split('\n')
    expect(ignored).toContain('**/node_modules')
    expect(ignored).toContain(choices.kind === 'node' ? '.env*' : '.env.local')
  })
})

test('the linter finds mistakes', () => {
  const [first] = variants
  const text = first!.files.get('Dockerfile')!.replace('\nEXPOSE 7777', '\nEXPOSED 7777')
  expect(validate(text).map(({ code }) => code)).toContain(ValidationCode.UNKNOWN_INSTRUCTION)
})

test("the demo's files are those that init writes", async () => {
  const folder = await temporaryFolder('demo')
  await copyFile(join(root, 'deploy/package.json'), join(folder, 'package.json'))
  const project = inspectProject(folder)
  const given = { kind: 'page', dir: 'dist', counter: ['players=8'], list: ['roster=8'] }
  const files = renderFiles(await choose(given, project), project)
  for (const [name, text] of files) expect(await readFile(join(root, 'deploy', name), 'utf8'), name).toBe(text)
})

test('their README names the same command', () => {
  expect(read('deploy/README.md')).toContain(
    'init --into deploy --kind page --dir dist --counter players=8 --list roster=8\n',
  )
})
