// What services name as their binding, so that gRPC adds no methods by itself: they are added by CheckedMethods and EntriesMethods.
// gRPC finds it by the attribute BindServiceMethod.
using Grpc.Core;

namespace Pile.Server.Calls;

/// <summary>A binding that adds nothing.</summary>
internal static class NoBinding
{
    public static void Bind(ServiceBinderBase _, object? __)
    {
    }
}
