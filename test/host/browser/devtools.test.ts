import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createDevtoolsPipe } from '../../../src/host/browser/devtools.js'

test('a session that was detached hears no event that is still on the way, and the others hear theirs', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const devtools = createDevtoolsPipe(input, output)
  const say = (message: object): void => void input.write(`${JSON.stringify(message)}\0`)
  const attaching = [devtools.attach('page'), devtools.attach('page')] as const
  for (const id of [1, 2]) say({ id, result: { sessionId: `session ${id}` } })
  const [first, second] = await Promise.all(attaching)
  const heard: string[] = []
  first.on('Log.entryAdded', () => heard.push('first'))
  second.on('Log.entryAdded', () => heard.push('second'))
  first.detach()
  for (const id of [1, 2]) say({ method: 'Log.entryAdded', params: {}, sessionId: `session ${id}` })
  await expect.poll(() => heard).toEqual(['second'])
})
