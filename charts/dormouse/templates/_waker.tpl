{{- /* Empty: nothing wakes on traffic. */ -}}
{{- define "dormouse.waker.enabled" -}}
{{- ternary "true" "" (dig "waker" "enabled" false .Values.config) -}}
{{- end -}}

{{- define "dormouse.waker.fullname" -}}
{{- include "dormouse.fullname" . }}-waker
{{- end -}}

{{- /* A name of its own, for a Service: see `dormouse.service.fullname`. */ -}}
{{- define "dormouse.waker.service" -}}
{{- dig "waker" "service" "" .Values.config | default (printf "%s-waker" (include "dormouse.service.fullname" .)) -}}
{{- end -}}

{{- define "dormouse.waker.account" -}}
{{- dig "waker" "account" "" .Values.config | default (include "dormouse.waker.fullname" .) -}}
{{- end -}}

{{- /* By which the leader finds the wakers, and the API knows who knocks; the slices' owner goes when the wakers go. */ -}}
{{- define "dormouse.waker.names" -}}
service: {{ include "dormouse.waker.service" . | quote }}
account: {{ include "dormouse.waker.account" . | quote }}
owner: {{ include "dormouse.waker.owner" . | quote }}
{{- end -}}

{{- /* The wakers' ClusterRole. */ -}}
{{- define "dormouse.waker.owner" -}}
{{- dig "waker" "owner" "" .Values.config | default (include "dormouse.waker.fullname" .) -}}
{{- end -}}

{{- define "dormouse.waker.selectorLabels" -}}
{{ include "dormouse.selectorLabels" . }}
app.kubernetes.io/component: waker
{{- end -}}

{{- /* The first and the last port of the range, as JSON. */ -}}
{{- define "dormouse.waker.ports" -}}
{{- $ports := splitList "-" (dig "waker" "ports" "20000-20999" .Values.config) -}}
{{- list (index $ports 0 | int) (index $ports 1 | int) | toJson -}}
{{- end -}}

{{- define "dormouse.waker.directory" -}}
/etc/dormouse/knock
{{- end -}}

{{- /* The Secret whose ca.crt signs the API's certificate; empty: the configuration names a file. Wakers get no key of it. */ -}}
{{- define "dormouse.waker.ca" -}}
{{- if not (dig "waker" "knock" "caFile" "" .Values.config) -}}
{{- if eq (include "dormouse.certificates.mode" .) "self-signed" -}}
{{- include "dormouse.certificates.own" . -}}
{{- else -}}
{{- include "dormouse.certificates.mounted" . | required "config.waker.knock.caFile: name the file with the CA of the API's certificate, mounted by waker.extraVolumes; the chart mounts your certificates for the server alone, since wakers must not have their key" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The wakers' configuration: nothing of policies, logins and the like, since the world reaches them. */ -}}
{{- define "dormouse.waker.config" -}}
{{- $config := include "dormouse.config" . | fromYaml -}}
{{- $directory := include "dormouse.waker.directory" . -}}
{{- $knock := dict "url" (printf "https://%s.%s.svc" (include "dormouse.service" .) .Release.Namespace) "caFile" (printf "%s/ca.crt" $directory) "tokenFile" (printf "%s/token" $directory) -}}
{{- $own := pick $config "cluster" "log" "waker" -}}
{{- $own = merge $own (dict "metrics" (dict "port" (include "dormouse.port.metrics" . | int)) "waker" (dict "knock" $knock)) -}}
{{- if .Values.waker.page.configMap -}}
{{- $own = merge $own (dict "waker" (dict "page" (printf "/etc/dormouse/page/%s" .Values.waker.page.key))) -}}
{{- end -}}
{{- toYaml $own -}}
{{- end -}}

{{- /* Who may read metrics. Not the wakers, which the world reaches. */ -}}
{{- define "dormouse.metrics.peers" -}}
{{- if include "dormouse.waker.enabled" . }}
- podSelector:
    matchExpressions:
      - { key: app.kubernetes.io/component, operator: NotIn, values: [waker] }
{{- else }}
- podSelector: {}
{{- end }}
{{- with .Values.networkPolicy.metricsFrom }}
{{ toYaml . }}
{{- end }}
{{- end -}}
