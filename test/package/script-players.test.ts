import vm from 'node:vm'
import { parse } from 'acorn'
import { expect, test } from 'vitest'
import { read } from '../support/source.js'

const players = read('dist/gameserver-sidecar.players.umd.js')

test('the script of players and sessions is ES2017 throughout', () => {
  expect(() => parse(players, { ecmaVersion: 2017, sourceType: 'script' })).not.toThrow()
})

test('loaded after the client’s script it makes its global, whose errors are the client’s', () => {
  const context = vm.createContext({})
  vm.runInContext(read('dist/gameserver-sidecar.umd.js'), context)
  vm.runInContext(players, context)
  expect(Object.keys(context).sort()).toEqual(['GameServerSidecar', 'GameServerSidecarPlayers'])
  const program = `
    var client = GameServerSidecar.createClient({ baseUrl: 'http://127.0.0.1:1', scheduler: false })
    var tracked = GameServerSidecarPlayers.trackPlayers(client, {})
    var caught
    try { GameServerSidecarPlayers.trackPlayers(client, { capacity: 0 }) } catch (error) { caught = error }
    tracked.close()
    client.close()
    caught instanceof GameServerSidecar.SidecarError && caught.code`
  expect(vm.runInContext(program, context)).toBe('CONFIG')
})
