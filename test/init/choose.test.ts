import { expect, test } from 'vitest'
import { ChoiceError } from '../../src/deploy/init/choices.js'
import { choose, type Person } from '../../src/deploy/init/choose.js'
import { inspectProject } from '../../src/deploy/init/project.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Somebody who gives these answers, one after the other. */
function person(...answers: string[]): Person & { readonly asked: string[]; readonly complaints: string[] } {
  const asked: string[] = []
  const complaints: string[] = []
  return {
    asked,
    complaints,
    ask: async (question) => {
      asked.push(question)
      const answer = answers.shift()
      if (answer === undefined) throw new Error(`No answer to: ${question}`)
      return answer
    },
    complain: (sentence) => void complaints.push(sentence),
  }
}

const emptyProject = async () => inspectProject(await temporaryFolder('choose'))

test('a person is asked for everything, and an empty answer takes the default', async () => {
  const someone = person('', 'arena', 'out', '', '', 'rooms=4 bots=2', 'players=8')
  const choices = await choose({}, await emptyProject(), someone)
  expect(someone.asked).toHaveLength(7)
  expect(someone.complaints).toEqual([])
  expect(choices).toEqual({
    kind: 'page',
    name: 'arena',
    dir: 'out',
    entry: 'server.mjs',
    port: 7777,
    image: 'arena:1',
    counters: [
      { name: 'rooms', capacity: 4 },
      { name: 'bots', capacity: 2 },
    ],
    lists: [{ name: 'players', capacity: 8 }],
    webgl: false,
    webrtc: false,
    metrics: false,
  })
})

test('what was given is not asked for', async () => {
  const someone = person('')
  await choose(
    { kind: 'page', name: 'arena', dir: 'out', playersPort: '9000', image: 'arena:2', counter: ['rooms=4'] },
    await emptyProject(),
    someone,
  )
  expect(someone.asked).toEqual([expect.stringContaining('Lists')])
})

test.each([{ path: '/a.html' }, { webgl: true }])(
  '%o means a page, and is refused for a Node program',
  async (given) => {
    expect((await choose(given, await emptyProject())).kind).toBe('page')
    await expect(choose({ ...given, kind: 'node' }, await emptyProject())).rejects.toThrow(
      /is for a page; leave it out/,
    )
  },
)

test('what was given wrong is refused before the first question', async () => {
  const someone = person()
  await expect(choose({ list: ['players=0'] }, await emptyProject(), someone)).rejects.toThrow(ChoiceError)
  expect(someone.asked).toEqual([])
})
