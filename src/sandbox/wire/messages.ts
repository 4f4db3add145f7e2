/**
 * The fields of the API's protobuf messages, for each kind and what it contains. A message is a name and its fields in
 * brackets, a field `number=name`, and without a number it has the next one. Then come `[]` for a list or `{}` for a map
 * by text; the type: text by itself, `#` a whole number, `!` a truth value, `~` bytes, `:Name` a message (`:` alone is
 * the field's own name) or a message's fields in brackets; and `?` for a field that Go can leave out, so that its zero
 * counts. The fields of `...` stand in JSON among those of the message around it.
 * Source: the tags of k8s.io/api v0.35 and k8s.io/apimachinery; left out is what needs a cloud or Windows.
 */
export const MESSAGES = `
Namespace(metadata: spec(finalizers[]) status(phase))
Pod(metadata: spec:PodSpec status(phase conditions[](type status lastProbeTime:Time lastTransitionTime:Time
  reason message observedGeneration#) message reason hostIP podIP startTime:Time
  containerStatuses[]:ContainerStatus qosClass initContainerStatuses[]:ContainerStatus nominatedNodeName
  podIPs[](ip) 14=resize 17=observedGeneration#))
Event(metadata: involvedObject:ObjectReference reason message source(component host) firstTimestamp:Time
  lastTimestamp:Time count# type eventTime:MicroTime series(count# lastObservedTime:MicroTime) action
  related:ObjectReference reportingComponent reportingInstance)
Secret(metadata: data{}~ type stringData{} immutable!?)
ConfigMap(metadata: data{} binaryData{}~ immutable!?)
ServiceAccount(metadata: secrets[]:ObjectReference imagePullSecrets[]:LocalObjectReference
  automountServiceAccountToken!?)
Service(metadata: spec(ports[](name protocol port# targetPort:IntOrString nodePort# appProtocol?) selector{}
  clusterIP type externalIPs[] 7=sessionAffinity loadBalancerIP loadBalancerSourceRanges[] externalName
  externalTrafficPolicy healthCheckNodePort# publishNotReadyAddresses!
  sessionAffinityConfig(clientIP(timeoutSeconds#?)) 17=ipFamilyPolicy? clusterIPs[] ipFamilies[]
  allocateLoadBalancerNodePorts!? loadBalancerClass? internalTrafficPolicy? trafficDistribution?)
  status(loadBalancer(ingress[](ip hostname ipMode? ports[](port# protocol error?)))))
Deployment(metadata: spec(replicas#? selector:LabelSelector template:PodTemplateSpec strategy(type
  rollingUpdate(maxUnavailable:IntOrString? maxSurge:IntOrString?)) minReadySeconds# revisionHistoryLimit#?
  paused! 9=progressDeadlineSeconds#?) status(observedGeneration# replicas# updatedReplicas#
  availableReplicas# unavailableReplicas# conditions[](type status 4=reason message lastUpdateTime:Time
  lastTransitionTime:Time) readyReplicas# collisionCount#? terminatingReplicas#?))
StatefulSet(metadata: spec(replicas#? selector:LabelSelector template:PodTemplateSpec
  volumeClaimTemplates[](metadata: spec(accessModes[] resources(limits{}:Quantity requests{}:Quantity)
  volumeName selector:LabelSelector storageClassName? volumeMode? dataSource(apiGroup? kind name))
  status(phase accessModes[] capacity{}:Quantity)) serviceName podManagementPolicy updateStrategy(type
  rollingUpdate(partition#? maxUnavailable:IntOrString?)) revisionHistoryLimit#? minReadySeconds#
  persistentVolumeClaimRetentionPolicy(whenDeleted whenScaled) ordinals(start#)) status(observedGeneration#
  replicas# readyReplicas# currentReplicas# updatedReplicas# currentRevision updateRevision
  9=collisionCount#? conditions[]:Condition availableReplicas#))
DaemonSet(metadata: spec(selector:LabelSelector template:PodTemplateSpec updateStrategy(type
  rollingUpdate(maxUnavailable:IntOrString? maxSurge:IntOrString?)) minReadySeconds#
  6=revisionHistoryLimit#?) status(currentNumberScheduled# numberMisscheduled# desiredNumberScheduled#
  numberReady# observedGeneration# updatedNumberScheduled# numberAvailable# numberUnavailable#
  collisionCount#? conditions[]:Condition))
ReplicaSet(metadata: spec(replicas#? selector:LabelSelector template:PodTemplateSpec minReadySeconds#)
  status(replicas# fullyLabeledReplicas# observedGeneration# readyReplicas# availableReplicas#
  conditions[]:Condition terminatingReplicas#?))
CronJob(metadata: spec(schedule startingDeadlineSeconds#? concurrencyPolicy suspend!? jobTemplate(metadata:
  spec:JobSpec) successfulJobsHistoryLimit#? failedJobsHistoryLimit#? timeZone?)
  status(active[]:ObjectReference 4=lastScheduleTime:Time lastSuccessfulTime:Time))
Job(metadata: spec:JobSpec status(conditions[]:JobCondition startTime:Time completionTime:Time active#
  succeeded# failed# completedIndexes 9=ready#? failedIndexes? terminating#?))
Lease(metadata: spec(holderIdentity? leaseDurationSeconds#? acquireTime:MicroTime renewTime:MicroTime
  leaseTransitions#? strategy? preferredHolder?))
TokenReview(metadata: spec(token audiences[]) status(authenticated! user:UserInfo error audiences[]))
SelfSubjectReview(metadata: status(userInfo:))
SubjectAccessReview(metadata: spec(resourceAttributes: nonResourceAttributes: user groups[] extra{}:Strings
  uid) status:SubjectAccessReviewStatus)
SelfSubjectAccessReview(metadata: spec(resourceAttributes: nonResourceAttributes:)
  status:SubjectAccessReviewStatus)
SelfSubjectRulesReview(metadata: spec(namespace) status(resourceRules[]:PolicyRule
  nonResourceRules[](verbs[] nonResourceURLs[]) incomplete! evaluationError))
HorizontalPodAutoscaler(metadata: spec(scaleTargetRef(kind name apiVersion) minReplicas#? maxReplicas#
  metrics[](type 4=resource(name target:MetricTarget) 7=containerResource(name target:MetricTarget container)))
  status(observedGeneration#? lastScaleTime:Time currentReplicas# desiredReplicas# 6=conditions[]:Condition))
MetricTarget(type value:Quantity averageValue:Quantity averageUtilization#?)
Scale(metadata: spec(replicas#) status(replicas# selector))
DeleteOptions(gracePeriodSeconds#? preconditions(uid? resourceVersion?) orphanDependents!?
  propagationPolicy? dryRun[])
ListMeta(selfLink resourceVersion continue remainingItemCount#?)
Metadata(name generateName namespace selfLink uid resourceVersion generation# creationTimestamp:Time
  deletionTimestamp:Time deletionGracePeriodSeconds#? labels{} annotations{} ownerReferences[](kind 3=name
  uid apiVersion controller!? blockOwnerDeletion!?) finalizers[] 17=managedFields[](manager operation
  apiVersion time: 6=fieldsType fieldsV1:Raw subresource))
PodSpec(volumes[](name ...(hostPath(path type?) emptyDir(medium sizeLimit:Quantity) 6=secret(secretName
  items[]:KeyToPath defaultMode#? optional!?) nfs(server path readOnly!) 10=persistentVolumeClaim(claimName
  readOnly!) 16=downwardAPI(items[]:DownwardAPIVolumeFile defaultMode#?)
  19=configMap(...:LocalObjectReference items[]:KeyToPath defaultMode#? optional!?)
  26=projected(sources[](secret(...:LocalObjectReference items[]:KeyToPath 4=optional!?)
  downwardAPI(items[]:DownwardAPIVolumeFile) configMap(...:LocalObjectReference items[]:KeyToPath
  4=optional!?) serviceAccountToken(audience expirationSeconds#? path)) defaultMode#?) 28=csi(driver
  readOnly!? fsType? volumeAttributes{} nodePublishSecretRef:LocalObjectReference) 30=image(reference
  pullPolicy))) containers[]:Container restartPolicy terminationGracePeriodSeconds#? activeDeadlineSeconds#?
  dnsPolicy nodeSelector{} serviceAccountName serviceAccount nodeName hostNetwork! hostPID! hostIPC!
  securityContext(seLinuxOptions:SELinuxOptions runAsUser#? runAsNonRoot!? supplementalGroups[]# fsGroup#?
  runAsGroup#? sysctls[](name value) 9=fsGroupChangePolicy? seccompProfile: appArmorProfile:
  supplementalGroupsPolicy? seLinuxChangePolicy?) imagePullSecrets[]:LocalObjectReference hostname subdomain
  affinity(nodeAffinity(requiredDuringSchedulingIgnoredDuringExecution(nodeSelectorTerms[]:NodeSelectorTerm)
  preferredDuringSchedulingIgnoredDuringExecution[](weight# preference:NodeSelectorTerm))
  podAffinity(requiredDuringSchedulingIgnoredDuringExecution[]:PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution[]:WeightedPodAffinityTerm)
  podAntiAffinity(requiredDuringSchedulingIgnoredDuringExecution[]:PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution[]:WeightedPodAffinityTerm)) schedulerName
  initContainers[]:Container automountServiceAccountToken!? tolerations[](key operator value effect
  tolerationSeconds#?) hostAliases[](ip hostnames[]) priorityClassName priority#? dnsConfig(nameservers[]
  searches[] options[](name value?)) shareProcessNamespace!? readinessGates[](conditionType)
  runtimeClassName? enableServiceLinks!? preemptionPolicy? overhead{}:Quantity
  topologySpreadConstraints[](maxSkew# topologyKey whenUnsatisfiable labelSelector: minDomains#?
  nodeAffinityPolicy? nodeTaintsPolicy? matchLabelKeys[]) 35=setHostnameAsFQDN!? os(name) hostUsers!?
  40=resources:ResourceRequirements hostnameOverride?)
ObjectReference(kind namespace name uid apiVersion resourceVersion fieldPath)
LocalObjectReference(name)
JobSpec(parallelism#? completions#? activeDeadlineSeconds#? selector:LabelSelector manualSelector!?
  template:PodTemplateSpec backoffLimit#? ttlSecondsAfterFinished#? completionMode? suspend!?
  12=backoffLimitPerIndex#? maxFailedIndexes#? podReplacementPolicy? managedBy?)
SubjectAccessReviewStatus(allowed! reason evaluationError denied!)
PolicyRule(verbs[] apiGroups[] resources[] resourceNames[] nonResourceURLs[])
Container(name image command[] args[] workingDir ports[](name hostPort# containerPort# protocol hostIP)
  env[](name value valueFrom(fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector
  configMapKeyRef(...:LocalObjectReference key optional!?) secretKeyRef(...:LocalObjectReference key
  optional!?))) resources:ResourceRequirements volumeMounts[](name readOnly! mountPath subPath
  mountPropagation? subPathExpr recursiveReadOnly?) livenessProbe:Probe readinessProbe:Probe
  lifecycle(postStart:LifecycleHandler preStop:LifecycleHandler stopSignal?) terminationMessagePath
  imagePullPolicy securityContext(capabilities(add[] drop[]) privileged!? seLinuxOptions:SELinuxOptions
  runAsUser#? runAsNonRoot!? readOnlyRootFilesystem!? allowPrivilegeEscalation!? runAsGroup#? procMount?
  11=seccompProfile: appArmorProfile:) stdin! stdinOnce! tty! envFrom[](prefix
  configMapRef(...:LocalObjectReference optional!?) secretRef(...:LocalObjectReference optional!?))
  terminationMessagePolicy volumeDevices[](name devicePath) startupProbe:Probe 24=restartPolicy?)
ResourceRequirements(limits{}:Quantity requests{}:Quantity)
ContainerStatus(name 4=ready! restartCount# image imageID containerID started!? 15=stopSignal?)
LabelSelector(matchLabels{} matchExpressions[]:LabelSelectorRequirement)
PodTemplateSpec(metadata: spec:PodSpec)
UserInfo(username uid groups[] extra{}:Strings)
ResourceAttributes(namespace verb group version resource subresource name fieldSelector(rawSelector
  requirements[](key operator values[])) labelSelector(rawSelector requirements[]:LabelSelectorRequirement))
NonResourceAttributes(path verb)
Probe(...(exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction grpc(port# service?))
  initialDelaySeconds# timeoutSeconds# periodSeconds# successThreshold# failureThreshold#
  terminationGracePeriodSeconds#?)
SELinuxOptions(user role type level)
SeccompProfile(type localhostProfile?)
AppArmorProfile(type localhostProfile?)
LabelSelectorRequirement(key operator values[])
LifecycleHandler(exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction sleep(seconds#))
PodAffinityTerm(labelSelector: namespaces[] topologyKey namespaceSelector:LabelSelector matchLabelKeys[]
  mismatchLabelKeys[])
WeightedPodAffinityTerm(weight# podAffinityTerm:)
KeyToPath(key path mode#?)
DownwardAPIVolumeFile(path fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector mode#?)
ObjectFieldSelector(apiVersion fieldPath)
ResourceFieldSelector(containerName resource divisor:Quantity)
ExecAction(command[])
HTTPGetAction(path port:IntOrString host scheme httpHeaders[](name value))
TCPSocketAction(port:IntOrString host)
NodeSelectorTerm(matchExpressions[]:NodeSelectorRequirement matchFields[]:NodeSelectorRequirement)
NodeSelectorRequirement(key operator values[])
Condition(type status lastTransitionTime:Time reason message)
JobCondition(type status lastProbeTime:Time lastTransitionTime:Time reason message)
Time(seconds#? nanos#)
MicroTime(seconds#? nanos#)
Quantity(string)
IntOrString(type# intVal# strVal)
Raw(raw~)
Strings(items[])
Unknown(typeMeta(apiVersion kind) raw~ contentEncoding contentType)
`
