{{- /* The program's configuration: `config` of the values, with what the release decides filled in. */ -}}
{{- define "dormouse.config" -}}
{{- $config := deepCopy .Values.config -}}
{{- $_ := set $config "excludeNamespaces" (append ($config.excludeNamespaces | default list) .Release.Namespace | uniq) -}}
{{- $calendars := $config.calendars | default dict -}}
{{- range $name, $_ := .Values.calendars -}}
{{- $calendar := get $calendars $name | default dict -}}
{{- $_ := set $calendar "files" (append ($calendar.files | default list) (printf "%s/%s.ics" (include "dormouse.calendars.directory" $) $name)) -}}
{{- $_ := set $calendars $name $calendar -}}
{{- end -}}
{{- if $calendars }}{{ $_ := set $config "calendars" $calendars }}{{ end -}}
{{- $webhook := dict "service" (include "dormouse.service" .) -}}
{{- if ne (include "dormouse.certificates.mode" .) "self-signed" -}}
{{- $_ := set $webhook "certificates" (dict "directory" (include "dormouse.certificates.directory" .)) -}}
{{- end -}}
{{- $lease := dict "namespace" (include "dormouse.lease.namespace" .) -}}
{{- if not .Values.console.enabled -}}
{{- $config = merge $config (dict "console" (dict "enabled" false)) -}}
{{- end -}}
{{- if not .Values.publish.enabled -}}
{{- $_ := set $config "publish" false -}}
{{- end -}}
{{- $config = merge $config (dict "webhook" $webhook "controller" (dict "lease" $lease)) -}}
{{- if include "dormouse.waker.enabled" . -}}
{{- $config = merge $config (dict "waker" (include "dormouse.waker.names" . | fromYaml)) -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}

{{- /* A JSON list of the excluded namespaces, in the program's order: those of Kubernetes, then those of the configuration. */ -}}
{{- define "dormouse.excluded" -}}
{{- concat (list "kube-system" "kube-public" "kube-node-lease") (include "dormouse.config" . | fromYaml).excludeNamespaces | uniq | toJson -}}
{{- end -}}

{{- /* The full name, for a Service: its name may not begin with a digit, as other names may. */ -}}
{{- define "dormouse.service.fullname" -}}
{{- regexReplaceAll "^([0-9])" (include "dormouse.fullname" .) "d-${1}" -}}
{{- end -}}

{{- define "dormouse.service" -}}
{{- dig "webhook" "service" "" .Values.config | default (include "dormouse.service.fullname" .) -}}
{{- end -}}

{{- /* The name of the Service that has the API over TLS: a second one unless `service.type` is ClusterIP. */ -}}
{{- define "dormouse.service.exposed" -}}
{{- if eq (.Values.service.type | default "ClusterIP") "ClusterIP" -}}
{{- include "dormouse.service" . -}}
{{- else -}}
{{- include "dormouse.service.fullname" . }}-external
{{- end -}}
{{- end -}}

{{- /* Empty: the webhook is disabled. */ -}}
{{- define "dormouse.webhook.enabled" -}}
{{- ternary "true" "" (dig "webhook" "enabled" true .Values.config) -}}
{{- end -}}

{{- define "dormouse.lease.name" -}}
{{- dig "controller" "lease" "name" "dormouse" .Values.config -}}
{{- end -}}

{{- /* The namespace of the Lease and of the Secret. */ -}}
{{- define "dormouse.lease.namespace" -}}
{{- dig "controller" "lease" "namespace" "" .Values.config | default .Release.Namespace -}}
{{- end -}}

{{- define "dormouse.port.api" -}}
{{- dig "api" "port" 8443 .Values.config -}}
{{- end -}}

{{- define "dormouse.port.webhook" -}}
{{- dig "webhook" "port" 9443 .Values.config -}}
{{- end -}}

{{- /* The port of plain HTTP; empty: none. */ -}}
{{- define "dormouse.port.insecure" -}}
{{- dig "api" "insecurePort" "" .Values.config | default "" -}}
{{- end -}}

{{- define "dormouse.port.metrics" -}}
{{- dig "metrics" "port" 9090 .Values.config -}}
{{- end -}}

{{- define "dormouse.certificates.mode" -}}
{{- dig "webhook" "certificates" "mode" "self-signed" .Values.config -}}
{{- end -}}

{{- /* The Secret in which `self-signed` keeps its keys. */ -}}
{{- define "dormouse.certificates.own" -}}
{{- dig "webhook" "certificates" "secret" "dormouse-webhook" .Values.config -}}
{{- end -}}

{{- /* The Secrets that the program itself fills, as JSON: those of its certificates and of the keys of states. */ -}}
{{- define "dormouse.secrets" -}}
{{- $names := list -}}
{{- $mode := include "dormouse.certificates.mode" . -}}
{{- if eq $mode "self-signed" -}}
{{- $names = append $names (include "dormouse.certificates.own" .) -}}
{{- end -}}
{{- if and (ne $mode "files") (not (dig "stateKeyFile" "" .Values.config)) -}}
{{- $names = append $names (dig "stateKeySecret" "dormouse-state-keys" .Values.config) -}}
{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{- define "dormouse.certificates.directory" -}}
{{- dig "webhook" "certificates" "directory" "" .Values.config | default "/etc/dormouse/certificates" -}}
{{- end -}}

{{- /* The Secret to mount; empty: none, since the mode needs no files or the configuration names their directory. */ -}}
{{- define "dormouse.certificates.mounted" -}}
{{- $mode := include "dormouse.certificates.mode" . -}}
{{- if not (dig "webhook" "certificates" "directory" "" .Values.config) -}}
{{- if eq $mode "cert-manager" -}}
{{- include "dormouse.fullname" . }}-tls
{{- else if eq $mode "files" -}}
{{- required "certificateFiles.secretName: name the Secret of tls.crt and tls.key, which config.webhook.certificates.mode: files needs" .Values.certificateFiles.secretName -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Where the files of `calendars` are mounted, as a folder: a file that is mounted by itself is never updated. */ -}}
{{- define "dormouse.calendars.directory" -}}
/etc/dormouse/calendars
{{- end -}}

{{- /* The ConfigMap of the calendars whose texts the values have. */ -}}
{{- define "dormouse.calendars.name" -}}
{{- include "dormouse.fullname" . }}-calendars
{{- end -}}

{{- /* The texts by file name, as JSON. */ -}}
{{- define "dormouse.calendars.texts" -}}
{{- $texts := dict -}}
{{- range $name, $calendar := .Values.calendars -}}
{{- if $calendar.ics }}{{ $_ := set $texts (printf "%s.ics" $name) $calendar.ics }}{{ end -}}
{{- end -}}
{{- toJson $texts -}}
{{- end -}}
