import { X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { issueCa, issueLeaf } from '../../../src/service/certificates/issue.ts'
import { readCertificate } from '../../../src/service/certificates/x509.ts'
import { servingNames } from '../../../src/wiring/process/certificates.ts'

const NOW = Date.parse('2026-03-01T12:00:00.250Z')
const HOUR = 3_600_000

describe('issued certificates', () => {
  it('are a CA that signs, and a leaf for a server that does not', async () => {
    const ca = await issueCa(NOW, 100 * HOUR)
    const leaf = await issueLeaf(ca, ['dormouse.test'], NOW, HOUR)
    const [parent, child] = [new X509Certificate(ca.cert), new X509Certificate(leaf.cert)]
    expect([parent.ca, child.ca]).to.deep.equal([true, false])
    expect(child.checkIssued(parent) && child.verify(parent.publicKey)).to.equal(true)
    expect(child.keyUsage).to.deep.equal(['1.3.6.1.5.5.7.3.1'])
    expect(child.publicKey.asymmetricKeyDetails).to.deep.include({ namedCurve: 'prime256v1' })
  })

  it('are backdated by five minutes, and a short life by a tenth', async () => {
    expect(readCertificate((await issueCa(NOW, 100 * HOUR)).cert).notBefore).to.equal(NOW - 250 - 300_000)
    expect(readCertificate((await issueCa(NOW, 10_000)).cert).notBefore).to.equal(NOW - 1250)
  })

  it('do not outlive the CA that signs them', async () => {
    const ca = await issueCa(NOW, HOUR)
    const leaf = await issueLeaf(ca, ['dormouse.test'], NOW, 2 * HOUR)
    expect(readCertificate(leaf.cert).notAfter).to.equal(readCertificate(ca.cert).notAfter)
  })

  it('have different serial numbers and names', async () => {
    const many = await Promise.all(Array.from({ length: 8 }, () => issueCa(NOW, HOUR)))
    const certificates = many.map(({ cert }) => new X509Certificate(cert))
    expect(new Set(certificates.map(({ serialNumber }) => serialNumber))).to.have.property('size', 8)
    expect(new Set(certificates.map(({ subject }) => subject))).to.have.property('size', 8)
    for (const { serialNumber } of certificates) expect(serialNumber).to.match(/^[4-7][0-9A-F]{31}$/)
  })

  it('are for the Service and for the host of the URL', async () => {
    const service = { name: 'dormouse', namespace: 'tools' }
    const names = servingNames(service, 'https://hooks.example:8443/base')
    const leaf = await issueLeaf(await issueCa(NOW, HOUR), [...names, '10.0.0.5', '::1'], NOW, HOUR)
    const certificate = new X509Certificate(leaf.cert)
    for (const host of ['dormouse.tools.svc', 'dormouse.tools.svc.cluster.local', 'hooks.example']) {
      expect(certificate.checkHost(host), host).to.equal(host)
    }
    expect(certificate.checkIP('10.0.0.5')).to.equal('10.0.0.5')
    expect(certificate.checkIP('::1')).to.equal('::1')
    expect(certificate.checkHost('dormouse.other.svc')).to.equal(undefined)
  })

  it('are for an IP address when the URL has one', () => {
    expect(servingNames(undefined, 'https://127.0.0.1:9443')).to.deep.equal(['127.0.0.1'])
    expect(servingNames(undefined, 'https://[::1]:9443')).to.deep.equal(['::1'])
    expect(servingNames(undefined, null)).to.deep.equal([])
  })
})
