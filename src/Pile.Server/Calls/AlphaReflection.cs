// grpc.reflection.v1alpha, as clients know it that are older than grpc.reflection.v1.
// The same as Reflection under another name.
using System.Collections.Generic;
using Google.Protobuf.Reflection;
using Grpc.Core;
using Grpc.Reflection;

namespace Pile.Server.Calls;

/// <summary>Reflection for older clients.</summary>
[BindServiceMethod(typeof(NoBinding), nameof(NoBinding.Bind))]
internal sealed class AlphaReflection(IEnumerable<ServiceDescriptor> services) : ReflectionServiceImpl(services);
