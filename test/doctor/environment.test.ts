import { describe, expect, test } from 'vitest'
import { find, NOBODY } from './support.js'

const AT_9 = { url: NOBODY }

describe('each mistake in the environment is found', () => {
  const rows: readonly (readonly [id: string, env: Record<string, string>, status: string, text: RegExp])[] = [
    ['port-variable', {}, 'warning', /^AGONES_SDK_HTTP_PORT is not set/],
    ['port-variable', { AGONES_SDK_HTTP_PORT: '93a' }, 'failure', /must be a port from 1 to 65535; got "93a"/],
    ['port-variable', { AGONES_SDK_HTTP_PORT: '0' }, 'failure', /must be a port/],
    ['port-variable', { AGONES_SDK_HTTP_PORT: '9' }, 'ok', /is 9$/],
    ['port-variable', { AGONES_SDK_HTTP_PORT: '9358' }, 'warning', /asks port 9, .* connects to 9358/],
    ['grpc-port', { AGONES_SDK_GRPC_PORT: '9' }, 'failure', /is that of gRPC/],
    ['grpc-port', { AGONES_SDK_GRPC_PORT: '9357' }, 'ok', /9357/],
    ['host-variable', { AGONES_SDK_HTTP_HOST: '10.0.0.1' }, 'warning', /not this machine/],
    ['host-variable', { AGONES_SDK_HTTP_HOST: '127.0.0.1' }, 'ok', /is 127/],
    ['container', { CODESPACES: 'true' }, 'warning', /a dev container, whose localhost is its own/],
    ['container', { WSL_DISTRO_NAME: 'Debian' }, 'warning', /runs in WSL/],
  ]
  test.each(rows)('%s with %o: %s', async (id, env, status, text) => {
    const finding = await find(id, { ...AT_9, env })
    expect(finding).toMatchObject({ status })
    expect(finding.text).toMatch(text)
  })
})
