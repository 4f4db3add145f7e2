{{- /* A string literal of CEL. */ -}}
{{- define "dormouse.cel.quoted" -}}
'{{ . | replace "\\" "\\\\" | replace "'" "\\'" }}'
{{- end -}}

{{- /* The users whose requests are not reviewed: the program's own list, then `exemptUsers`. */ -}}
{{- define "dormouse.webhooks.accounts" -}}
{{- $exempt := list "system:kube-controller-manager" -}}
{{- range list "horizontal-pod-autoscaler" "deployment-controller" "statefulset-controller" "replicaset-controller" "daemon-set-controller" "generic-garbage-collector" -}}
{{- $exempt = append $exempt (printf "system:serviceaccount:kube-system:%s" .) -}}
{{- end -}}
{{- $exempt = append $exempt "system:serviceaccount:keda:keda-operator" -}}
{{- $quoted := list -}}
{{- range concat $exempt (.Values.config.exemptUsers | default list) | uniq -}}
{{- $quoted = append $quoted (include "dormouse.cel.quoted" .) -}}
{{- end -}}
- name: not-exempt
  expression: {{ printf "!(request.userInfo.username in [%s])" (join ", " $quoted) | quote }}
- name: not-by-dormouse
  expression: {{ printf "!(request.userInfo.username == %s && has(request.options) && has(request.options.fieldManager) && request.options.fieldManager == 'dormouse')" (include "dormouse.username" . | include "dormouse.cel.quoted") | quote }}
{{- end -}}

{{- define "dormouse.webhooks.clientConfig" -}}
{{- $url := dig "webhook" "url" "" .root.Values.config -}}
{{- if $url -}}
url: {{ printf "%s%s" (regexReplaceAll "/+$" $url "") .path | quote }}
{{- else -}}
service:
  namespace: {{ .root.Release.Namespace | quote }}
  name: {{ include "dormouse.service" .root | quote }}
  port: 9443
  path: {{ .path }}
{{- end -}}
{{- end -}}

{{- /* CEL: whether the object has a controller owner. */ -}}
{{- define "dormouse.webhooks.owned" -}}
(has({{ . }}.metadata.ownerReferences) && {{ . }}.metadata.ownerReferences.exists(owner, has(owner.controller) && owner.controller))
{{- end -}}

{{- define "dormouse.webhooks.alike" -}}
admissionReviewVersions: [v1]
matchPolicy: Equivalent
{{- $selector := dig "webhook" "namespaceSelector" dict .Values.config }}
namespaceSelector:
  {{- with $selector.matchLabels }}
  matchLabels:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values: {{ include "dormouse.excluded" . }}
    {{- with $selector.matchExpressions }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
objectSelector: {}
reinvocationPolicy: IfNeeded
sideEffects: None
timeoutSeconds: 3
{{- end -}}
