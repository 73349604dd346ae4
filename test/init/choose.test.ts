import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ChoiceError } from '../../src/deploy/init/choices.js'
import { choose, type Person } from '../../src/deploy/init/choose.js'
import { inspectProject } from '../../src/deploy/init/project.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Somebody who gives these answers, one after the other. */
function person(...answers: string[]): Person & { readonly asked: string[]; readonly warnings: string[] } {
  const asked: string[] = []
  const warnings: string[] = []
  return {
    asked,
    warnings,
    ask: async (question) => {
      asked.push(question)
      const answer = answers.shift()
      if (answer === undefined) throw new Error(`No answer to: ${question}`)
      return answer
    },
    warn: (sentence) => void warnings.push(sentence),
  }
}

async function page() {
  const folder = await temporaryFolder('choose')
  await writeFile(join(folder, 'index.html'), '')
  await mkdir(join(folder, 'dist'))
  await writeFile(join(folder, 'dist/index.html'), '')
  return inspectProject(folder)
}

test('a person is asked for kind, port, seats and health, and an empty answer takes the default', async () => {
  const someone = person('', '', 'players=8', '')
  const choices = await choose({ counter: ['rooms=4 bots=2'] }, await page(), someone)
  expect(someone.asked).toEqual([
    'Is your game server a page or a node program?',
    'The port that players connect to',
    'Seats for players: a name and how many each server has, such as players=16',
    'Seconds without a health beat until a server is replaced',
  ])
  expect(someone.warnings).toEqual([])
  expect(choices).toMatchObject({
    kind: 'page',
    dir: 'dist',
    port: 7777,
    health: 15,
    counters: [
      { name: 'rooms', capacity: 4 },
      { name: 'bots', capacity: 2 },
    ],
    lists: [{ name: 'players', capacity: 8 }],
  })
})

test('where nothing says what the project is, a person must say it, and name the program', async () => {
  const someone = person('', 'node', '', 'play.mjs', '', '', '')
  const folder = await temporaryFolder('choose')
  await writeFile(join(folder, 'play.mjs'), '')
  const choices = await choose({}, inspectProject(folder), someone)
  expect(choices).toMatchObject({ kind: 'node', entry: 'play.mjs' })
  expect(someone.warnings).toEqual([
    'kind must be "page" or "node"; got "".',
    expect.stringMatching(/^entry must be a path within the project/),
  ])
})

test('what was given is not asked for', async () => {
  const someone = person('')
  await choose({ kind: 'page', playersPort: '9000', list: ['players=4'] }, await page(), someone)
  expect(someone.asked).toEqual([expect.stringContaining('health')])
})

test.each([{ path: '/a.html' }, { webgl: true }])(
  '%o means a page, and is refused for a Node program',
  async (given) => {
    expect((await choose(given, await page())).kind).toBe('page')
    await expect(choose({ ...given, kind: 'node' }, await page())).rejects.toThrow(/is for a page; leave it out/)
  },
)

test('what was given wrong is refused before the first question', async () => {
  const someone = person()
  await expect(choose({ list: ['players=0'] }, await page(), someone)).rejects.toThrow(ChoiceError)
  expect(someone.asked).toEqual([])
})
