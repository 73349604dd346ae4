import { describe, expect, test } from 'vitest'
import { readOffer, writeOffer } from '../../../src/host/players/webrtc/session-description.js'
import { PLAIN, WITH_CHANNEL } from '../../../src/host/wire/sockets.js'
import { collect, echo, joinPlayers, type Client } from '../players/players-support.js'
import { udpSockets } from '../support/processes.js'
import { startChannels } from './webrtc-support.js'
import { until } from '../../support/until.js'

const OFFER = {
  mid: '0',
  ufrag: 'abcd',
  pwd: 'abcdefghijklmnopqrstuv',
  fingerprint: Array.from({ length: 32 }, () => 'AB').join(':'),
  setup: 'actpass',
  maxMessage: 262_144,
} as const
const GOOD = writeOffer(OFFER)

/** A player whose page isn't from this package. */
async function startRaw(): Promise<Client> {
  const stage = await startChannels()
  echo(stage.page)
  return joinPlayers(stage, '/', { protocols: [PLAIN, WITH_CHANNEL] })
}

describe('the offer of a player', () => {
  test('is parsed from the SDP of browsers, and written anew', () => {
    expect(readOffer(GOOD)).toEqual(OFFER)
    expect(readOffer(GOOD.replaceAll('\r\n', '\n'))).toEqual(OFFER)
    expect(readOffer(GOOD.replace('a=max-message-size:262144\r\n', ''))).toEqual({ ...OFFER, maxMessage: 65_536 })
    expect(readOffer(GOOD.replace('AB:', 'ab:'))).toEqual(OFFER)
  })

  test.each([
    ['one character too many', GOOD + 'a'.repeat(16_385 - GOOD.length)],
    ['media besides', `${GOOD}m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n`],
    [
      'media alone',
      GOOD.replace('m=application 9 UDP/DTLS/SCTP webrtc-datachannel', 'm=audio 9 UDP/TLS/RTP/SAVPF 111'),
    ],
    ['no ufrag', GOOD.replace('a=ice-ufrag:abcd\r\n', '')],
    ['a short ufrag', GOOD.replace('abcd\r\n', 'abc\r\n')],
    ['a ufrag with a colon', GOOD.replace('abcd\r\n', 'ab:cd\r\n')],
    ['a short password', GOOD.replace('a=ice-pwd:a', 'a=ice-pwd:')],
    ['no fingerprint', GOOD.replace(/a=fingerprint.*\r\n/, '')],
    ['a weak fingerprint', GOOD.replace('sha-256', 'sha-1')],
    ['the wrong role', GOOD.replace('actpass', 'passive')],
    ['no mid', GOOD.replace('a=mid:0\r\n', '')],
  ])('is refused with %s', (_, offer) => {
    expect(readOffer(offer)).toBeUndefined()
  })

  test('is stripped of all candidates', () => {
    const candidate = 'a=candidate:1 1 UDP 2122317823 10.0.0.1 22 typ host\r\n'
    expect(writeOffer(readOffer(GOOD + candidate)!)).toBe(GOOD)
  })
})

describe('a signal from a foreign page', () => {
  test.each([
    ['no JSON', '\0{'],
    ['no id', '\0{"up":true}'],
    ['an id of another kind', '\0{"id":"1","up":true}'],
    ['an id of 0', '\0{"id":0,"up":true}'],
    ['neither an offer nor whether it is up', '\0{"id":1}'],
    ['an offer of another kind', '\0{"id":1,"offer":{}}'],
  ])('ends its connection with 1008: %s', async (_, signal) => {
    const player = await startRaw()
    player.socket.send(signal)
    expect(await player.closed).toEqual([1008, 'A signal is malformed'])
  })

  test('with a malformed offer is answered with a refusal, and the match goes on', async () => {
    const player = await startRaw()
    player.socket.send(`\0${JSON.stringify({ id: 7, offer: 'v=0\r\n'.repeat(1000) })}`)
    player.socket.send('go on')
    await until(() => expect(player.messages).toContain('\0{"id":7,"ended":"The offer is not one of a data channel"}'))
    await until(() => expect(player.messages).toContain('go on'))
  })

  test('with a sixth offer is refused', async () => {
    const player = await startRaw()
    for (let id = 1; id <= 6; id++) player.socket.send(`\0${JSON.stringify({ id, offer: GOOD })}`)
    player.socket.send('go on')
    await until(() => expect(player.messages).toContain('\0{"id":6,"ended":"More than 5 offers"}'))
    await until(() => expect(player.messages).toContain('go on'))
  })

  test('ends its connection with 1008 if it comes too often', async () => {
    const player = await startRaw()
    for (let sent = 0; sent < 201; sent++) player.socket.send('\0{"id":1,"up":true}')
    expect(await player.closed).toEqual([1008, 'More than 200 signals'])
  })

  test('that ends the connection discards everything behind it', async () => {
    const stage = await startChannels()
    const got = collect(stage.page)
    const player = await joinPlayers(stage, '/', { protocols: [PLAIN, WITH_CHANNEL] })
    for (const text of ['before', '\0{', 'behind']) player.socket.send(text)
    await player.closed
    await until(() => expect(stage.page.connections.sockets.size).toBe(0))
    expect(got).toEqual(['before'])
    expect(stage.lines).toEqual(['Player 1 (127.0.0.1) is closed with 1008: A signal is malformed'])
  })

  test('with a second offer of the same id gets the only answer', async () => {
    const player = await startRaw()
    for (let i = 0; i < 2; i += 1) player.socket.send(`\0${JSON.stringify({ id: 1, offer: GOOD })}`)
    const answers = (): unknown[] => player.messages.filter((text) => String(text).includes('"answer"'))
    await until(() => expect(answers()).toHaveLength(1))
    player.socket.send('go on')
    await until(() => expect(player.messages.at(-1)).toBe('go on'))
    expect(answers()).toHaveLength(1)
  })

  test.skipIf(process.platform !== 'linux')('has an offer whose peer ends with the WebSocket', async () => {
    const stage = await startChannels()
    const player = await joinPlayers(stage, '/', { protocols: [PLAIN, WITH_CHANNEL] })
    player.socket.send(`\0${JSON.stringify({ id: 1, offer: GOOD })}`)
    await until(() => expect(udpSockets(stage.players.port)).toBe(1))
    player.socket.terminate()
    await until(() => expect(udpSockets(stage.players.port)).toBe(0))
  })

  test('that claims a missing channel is up leaves unreliable messages on the WebSocket', async () => {
    const stage = await startChannels()
    stage.page.connections.onconnection = (socket) => {
      socket.onmessage = ({ data }) => socket.sendUnreliable(data as string)
    }
    const player = await joinPlayers(stage, '/', { protocols: [PLAIN, WITH_CHANNEL] })
    player.socket.send('\0{"id":1,"up":true}')
    player.socket.send('hello')
    await until(() => expect(player.messages).toEqual(['hello']))
  })
})

describe('a plain WebSocket', () => {
  test.each([
    ['without a subprotocol', [], ''],
    ['with one of its own', ['chat', 'chat2'], 'chat'],
  ])('%s gets texts as they are, whatever they begin with', async (_, offered, chosen) => {
    const stage = await startChannels()
    echo(stage.page)
    const player = await joinPlayers(stage, '/', { protocols: offered })
    expect(player.socket.protocol).toBe(chosen)
    for (const text of ['\0', '\0{"id":1,"up":true}', '\0{']) player.socket.send(text)
    await until(() => expect(player.messages).toEqual(['\0', '\0{"id":1,"up":true}', '\0{']))
  })
})
