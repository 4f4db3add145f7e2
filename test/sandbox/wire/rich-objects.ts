const selector = {
  matchLabels: { app: 'a' },
  matchExpressions: [{ key: 'x', operator: 'In', values: ['y'] }],
}
const labels = { app: 'a', x: 'y' }
const named = { name: 'rich', labels, annotations: { 'a.b/c': 'ü', empty: '' } }
const term = { labelSelector: selector, topologyKey: 'zone', namespaces: ['n'] }
const nodes = { matchExpressions: [{ key: 'disk', operator: 'NotIn', values: ['slow'] }] }
const probe = {
  initialDelaySeconds: 1,
  timeoutSeconds: 2,
  periodSeconds: 3,
  successThreshold: 1,
  failureThreshold: 4,
  terminationGracePeriodSeconds: 5,
}

/** A pod with a value in nearly every field that the table has. */
const spec = {
  volumes: [
    { name: 'host', hostPath: { path: '/x', type: 'Directory' } },
    { name: 'empty', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
    { name: 'bare', emptyDir: {} },
    {
      name: 'secret',
      secret: {
        secretName: 's',
        items: [{ key: 'k', path: 'p', mode: 256 }],
        defaultMode: 420,
        optional: true,
      },
    },
    { name: 'nfs', nfs: { server: 'h', path: '/p', readOnly: true } },
    { name: 'claim', persistentVolumeClaim: { claimName: 'c', readOnly: true } },
    {
      name: 'downward',
      downwardAPI: {
        items: [
          { path: 'p', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' }, mode: 292 },
          { path: 'q', resourceFieldRef: { containerName: 'main', resource: 'limits.cpu', divisor: '1m' } },
        ],
        defaultMode: 420,
      },
    },
    {
      name: 'map',
      configMap: { name: 'm', items: [{ key: 'k', path: 'p' }], defaultMode: 0, optional: false },
    },
    {
      name: 'projected',
      projected: {
        sources: [
          { secret: { name: 's', items: [{ key: 'k', path: 's' }], optional: true } },
          {
            downwardAPI: {
              items: [{ path: 'd', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.uid' } }],
            },
          },
          { configMap: { name: 'm', items: [{ key: 'k', path: 'm' }], optional: true } },
          { serviceAccountToken: { audience: 'a', expirationSeconds: 3600, path: 't' } },
        ],
        defaultMode: 420,
      },
    },
    {
      name: 'csi',
      csi: {
        driver: 'd.example',
        readOnly: false,
        fsType: 'ext4',
        volumeAttributes: { a: 'b' },
        nodePublishSecretRef: { name: 's' },
      },
    },
    { name: 'image', image: { reference: 'r:1', pullPolicy: 'IfNotPresent' } },
  ],
  containers: [
    {
      name: 'main',
      image: 'app:1',
      command: ['run'],
      args: ['--fast', ''],
      workingDir: '/w',
      ports: [{ name: 'http', hostPort: 80, containerPort: 80, protocol: 'UDP', hostIP: '127.0.0.1' }],
      env: [
        { name: 'A', value: 'b' },
        { name: 'B', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } },
        { name: 'C', valueFrom: { resourceFieldRef: { resource: 'requests.memory', divisor: '1Mi' } } },
        { name: 'D', valueFrom: { configMapKeyRef: { name: 'm', key: 'k', optional: false } } },
        { name: 'E', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
      ],
      envFrom: [
        { prefix: 'P_', configMapRef: { name: 'm', optional: true } },
        { secretRef: { name: 's', optional: false } },
      ],
      resources: { limits: { cpu: '1500m', memory: '1Gi' }, requests: { cpu: '100m' } },
      volumeMounts: [
        {
          name: 'empty',
          readOnly: true,
          mountPath: '/e',
          subPath: 's',
          mountPropagation: 'HostToContainer',
          recursiveReadOnly: 'Disabled',
        },
        { name: 'bare', mountPath: '/b', subPathExpr: '$(A)' },
      ],
      volumeDevices: [{ name: 'claim', devicePath: '/dev/x' }],
      livenessProbe: { ...probe, exec: { command: ['ok'] } },
      readinessProbe: {
        ...probe,
        terminationGracePeriodSeconds: undefined,
        httpGet: {
          path: '/',
          port: 'http',
          host: 'h',
          scheme: 'HTTPS',
          httpHeaders: [{ name: 'X-A', value: 'b' }],
        },
      },
      startupProbe: { ...probe, grpc: { port: 9, service: 's' } },
      lifecycle: {
        postStart: { tcpSocket: { port: 80, host: 'h' } },
        preStop: { sleep: { seconds: 5 } },
      },
      terminationMessagePath: '/t',
      terminationMessagePolicy: 'FallbackToLogsOnError',
      imagePullPolicy: 'Never',
      securityContext: {
        capabilities: { add: ['CHOWN'], drop: ['ALL'] },
        privileged: false,
        seLinuxOptions: { user: 'u', role: 'r', type: 't', level: 'l' },
        runAsUser: 0,
        runAsNonRoot: false,
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        runAsGroup: 7,
        procMount: 'Default',
        seccompProfile: { type: 'Localhost', localhostProfile: 'p' },
        appArmorProfile: { type: 'RuntimeDefault' },
      },
      stdin: true,
      stdinOnce: true,
      tty: true,
    },
  ],
  initContainers: [
    {
      name: 'first',
      image: 'init:1',
      restartPolicy: 'Always',
      resources: {},
      terminationMessagePath: '/t',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'Always',
    },
  ],
  restartPolicy: 'OnFailure',
  terminationGracePeriodSeconds: 9,
  activeDeadlineSeconds: 60,
  dnsPolicy: 'None',
  dnsConfig: { nameservers: ['1.2.3.4'], searches: ['s'], options: [{ name: 'ndots', value: '2' }] },
  nodeSelector: { disk: 'fast' },
  serviceAccountName: 'robot',
  serviceAccount: 'robot',
  automountServiceAccountToken: false,
  hostNetwork: true,
  hostPID: true,
  securityContext: {
    seLinuxOptions: { level: 'l' },
    runAsUser: 1,
    runAsNonRoot: true,
    supplementalGroups: [1, 2],
    fsGroup: 0,
    runAsGroup: 3,
    sysctls: [{ name: 'kernel.shm_rmid_forced', value: '0' }],
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
    appArmorProfile: { type: 'Unconfined' },
    supplementalGroupsPolicy: 'Merge',
  },
  imagePullSecrets: [{ name: 'reg' }],
  hostname: 'h',
  subdomain: 'd',
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [nodes] },
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: nodes }],
    },
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 2, podAffinityTerm: term }],
    },
  },
  schedulerName: 'mine',
  tolerations: [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 0 }],
  hostAliases: [{ ip: '1.2.3.4', hostnames: ['a', 'b'] }],
  priorityClassName: 'p',
  shareProcessNamespace: false,
  readinessGates: [{ conditionType: 'c.example/ready' }],
  runtimeClassName: 'r',
  enableServiceLinks: false,
  preemptionPolicy: 'Never',
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: selector,
      minDomains: 2,
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
    },
  ],
  setHostnameAsFQDN: false,
  os: { name: 'linux' },
}
const template = { metadata: { labels }, spec }
const always = {
  metadata: { labels },
  spec: { ...spec, restartPolicy: 'Always', activeDeadlineSeconds: undefined },
}

/** Objects with a value in nearly every field of the table, by the path to create them at; a real API server takes them. */
export const RICH: Readonly<Record<string, object>> = {
  '/apis/batch/v1/namespaces/NS/cronjobs': {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: named,
    spec: {
      schedule: '* * * * *',
      startingDeadlineSeconds: 0,
      concurrencyPolicy: 'Forbid',
      suspend: true,
      successfulJobsHistoryLimit: 0,
      failedJobsHistoryLimit: 2,
      timeZone: 'Etc/UTC',
      jobTemplate: {
        metadata: { labels },
        spec: { parallelism: 0, completions: 2, backoffLimit: 0, ttlSecondsAfterFinished: 9, template },
      },
    },
  },
  '/apis/apps/v1/namespaces/NS/deployments': {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: named,
    spec: {
      replicas: 0,
      selector,
      template: always,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '50%' } },
      minReadySeconds: 3,
      revisionHistoryLimit: 0,
      paused: true,
      progressDeadlineSeconds: 77,
    },
  },
  '/apis/apps/v1/namespaces/NS/statefulsets': {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: named,
    spec: {
      replicas: 0,
      selector,
      template: always,
      serviceName: 's',
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 1,
      minReadySeconds: 4,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
      ordinals: { start: 3 },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
            storageClassName: '',
            volumeMode: 'Block',
          },
        },
      ],
    },
  },
  '/apis/apps/v1/namespaces/NS/daemonsets': {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: named,
    spec: {
      selector,
      template: always,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%', maxSurge: 0 } },
      minReadySeconds: 1,
    },
  },
  '/api/v1/namespaces/NS/services': {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: named,
    spec: {
      selector: { a: 'b' },
      ports: [{ name: 'p', protocol: 'UDP', port: 53, targetPort: 'dns', appProtocol: 'x' }],
      clusterIP: 'None',
      externalIPs: ['1.2.3.4'],
      publishNotReadyAddresses: true,
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } },
    },
  },
  '/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers': {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: named,
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' },
      minReplicas: 2,
      maxReplicas: 9,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
        },
        {
          type: 'ContainerResource',
          containerResource: {
            name: 'memory',
            container: 'main',
            target: { type: 'AverageValue', averageValue: '1Gi' },
          },
        },
      ],
    },
  },
  '/api/v1/namespaces/NS/secrets': {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: named,
    data: { a: 'AP+AAA==', none: '' },
    type: 'x.example/y',
    immutable: false,
  },
  '/api/v1/namespaces/NS/configmaps': {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: named,
    data: { a: 'b', empty: '' },
    binaryData: { c: 'AP+A' },
    immutable: true,
  },
  '/api/v1/namespaces/NS/serviceaccounts': {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: named,
    secrets: [{ name: 's' }],
    imagePullSecrets: [{ name: 'reg' }],
    automountServiceAccountToken: false,
  },
  '/apis/coordination.k8s.io/v1/namespaces/NS/leases': {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: named,
    spec: {
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-02T03:04:05.678901Z',
      renewTime: '2026-01-02T03:04:05.000000Z',
      leaseTransitions: 0,
    },
  },
  '/api/v1/namespaces/NS/events': {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: named,
    involvedObject: { kind: 'Pod', namespace: 'NS', name: 'p', uid: 'u', apiVersion: 'v1', fieldPath: 'f' },
    reason: 'Because',
    message: 'it was time',
    source: { component: 'c', host: 'h' },
    firstTimestamp: '2026-01-02T03:04:05Z',
    lastTimestamp: '2026-01-02T03:04:06Z',
    count: 2,
    type: 'Normal',
  },
}
