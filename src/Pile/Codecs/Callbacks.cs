// The framework's serialization callbacks of a type: OnSerializing, OnSerialized, OnDeserializing, OnDeserialized, base
// classes first, and IDeserializationCallback. Also finalizers: an instance that is not filled yet must not run its own.
// A struct is called in a box, and is complete as soon as its fields are read: nobody could find it again later.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.Serialization;

namespace Pile.Codecs;

/// <summary>Callbacks of one type; null where a type has none.</summary>
internal sealed class Callbacks
{
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    private static readonly object[] _context = [default(StreamingContext)];
    private readonly List<MethodInfo> _serializing = [];
    private readonly List<MethodInfo> _serialized = [];
    private readonly List<MethodInfo> _deserializing = [];
    private readonly List<MethodInfo> _deserialized = [];
    private readonly bool _isNotified;
    private readonly bool _isFinalized;

    private Callbacks(Type type, Type? below, bool isByProtocol)
    {
        for (Type? at = type; at is not null && at != typeof(object) && at != below; at = at.BaseType)
        {
            foreach (MethodInfo method in at.GetMethods(Declared))
            {
                AddTo(_serializing, method, typeof(OnSerializingAttribute));
                AddTo(_serialized, method, typeof(OnSerializedAttribute));
                AddTo(_deserializing, method, typeof(OnDeserializingAttribute));
                AddTo(_deserialized, method, typeof(OnDeserializedAttribute));
                _isFinalized |= method is { Name: "Finalize", IsVirtual: true } && method.GetParameters().Length == 0;
            }
        }

        _isNotified = typeof(IDeserializationCallback).IsAssignableFrom(type) && !Treatments.LostItsProtocol(type)
            && (isByProtocol || HearsItself(type));
    }

    /// <summary>The callbacks of a type.</summary>
    /// <param name="type">The type.</param>
    /// <param name="below">A base that is kept in another way, and whose own methods with attributes are not meant, or null.</param>
    /// <param name="isByProtocol">Whether a constructor builds the object from names and values. The framework's own
    /// IDeserializationCallback ends what that began, and throws where nothing did.</param>
    internal static Callbacks? Of(Type type, Type? below = null, bool isByProtocol = false)
    {
        var found = new Callbacks(type, below, isByProtocol);
        int methods = found._serializing.Count + found._serialized.Count + found._deserializing.Count + found._deserialized.Count;
        return methods > 0 || found._isNotified || found._isFinalized ? found : null;
    }

    internal void Serializing(object value)
    {
        try
        {
            Call(_serializing, value);
        }
        catch (PlatformNotSupportedException)
        {
            throw Refuse.AType(value.GetType(), value);
        }
    }

    internal void Serialized(object value) => Call(_serialized, value);

    /// <summary>Keeps an instance that is not filled yet from being finalized.</summary>
    internal void Hold(object value)
    {
        if (_isFinalized)
        {
#pragma warning disable CA1816 // Not ours: an instance that is not filled must not run its finalizer.
            GC.SuppressFinalize(value);
#pragma warning restore CA1816
        }
    }

    internal void Deserializing(object value)
    {
        Hold(value);
        Call(_deserializing, value);
    }

    internal void Deserialized(object value)
    {
        if (_isFinalized)
        {
            GC.ReRegisterForFinalize(value);
        }

        Call(_deserialized, value);
    }

    /// <summary>Tells the object that the whole graph is there.</summary>
    internal void Notify(object value)
    {
        if (_isNotified)
        {
            ((IDeserializationCallback)value).OnDeserialization(null);
        }
    }

    /// <summary>Whether it is code of the program's that is notified, by the interface or by a method of the framework's that it overrides.</summary>
    private static bool HearsItself(Type type) =>
        !TypeName.IsFramework(type.GetInterfaceMap(typeof(IDeserializationCallback)).TargetMethods[0].DeclaringType!)
        || (type.GetMethod(nameof(IDeserializationCallback.OnDeserialization), Declared & ~BindingFlags.DeclaredOnly, [typeof(object)]) is { IsVirtual: true } method
            && !TypeName.IsFramework(method.DeclaringType!));

    private static void AddTo(List<MethodInfo> methods, MethodInfo method, Type attribute)
    {
        // Found from the most derived class up; called from the base down.
        if (method.IsDefined(attribute, inherit: false))
        {
            methods.Insert(0, method);
        }
    }

    private static void Call(List<MethodInfo> methods, object value)
    {
        foreach (MethodInfo method in methods)
        {
            _ = method.Invoke(value, BindingFlags.DoNotWrapExceptions, null, _context, null);
        }
    }
}
